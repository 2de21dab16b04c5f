import { spawn } from 'node:child_process';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BadRequest, Problem } from '@mortise/plugin-sdk';

/** What one plugin may hold, unpacked. */
const maxUnpackedBytes = 1024 ** 3;
/** How long npm or tar may take, in milliseconds. */
const maxCommandMs = 240_000;

/** What the operator named: a package of the registry, a packed file, or a folder that packs. */
export interface Wanted {
  readonly kind: 'registry' | 'file' | 'folder';
  readonly text: string;
}

export function readWanted(text: string): Wanted {
  const path = resolve(text);
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) {
      if (existsSync(join(path, 'package.json'))) return { kind: 'folder', text: path };
      throw BadRequest(`${path} contains no package.json.`);
    }
    if (/\.(tgz|tar\.gz)$/.test(path)) return { kind: 'file', text: path };
    throw BadRequest(`${path} is neither a folder nor a packed plugin (.tgz).`);
  }
  if (isPackageName(text)) return { kind: 'registry', text };
  throw BadRequest(`${text} does not exist. Name a package, a packed file or a folder.`);
}

/** A name of the package registry, perhaps with a version or a range: nothing else that npm would fetch. */
export const isPackageName = (text: string): boolean =>
  /^(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*(?:@[\w.^~<>=|* -]+)?$/.test(text) && !/\.(tgz|tar\.gz)$/.test(text);

/** Lays the content of the package into `staging/package`. `registry`: the one to ask for it; empty: that of npm's settings. */
export async function unpack(wanted: Wanted, staging: string, registry: string): Promise<string> {
  const packed = join(staging, 'packed');
  await mkdir(packed);
  if (wanted.kind === 'file') await cp(wanted.text, join(packed, basename(wanted.text)));
  else
    await npm(
      [
        'pack',
        wanted.text,
        '--pack-destination',
        packed,
        '--ignore-scripts',
        ...(registry ? ['--registry', registry] : []),
      ],
      staging,
      `get ${wanted.text}`,
    );
  const [file] = await readdir(packed);
  if (!file) throw new Problem('unavailable', `npm did not give ${wanted.text}`);
  const folder = join(staging, 'package');
  await mkdir(folder);
  await unpackFile(join(packed, file), folder).catch((error: unknown) => {
    throw BadRequest(`${wanted.text} cannot be unpacked: ${(error as Error).message}`);
  });
  return folder;
}

/** Lays what is packed below one folder, as npm does, into another. Bounded in bytes and time. */
export async function unpackFile(file: string, folder: string): Promise<void> {
  let bytes = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxUnpackedBytes ? new Error(`it holds more than ${maxUnpackedBytes} bytes`) : null, chunk);
    },
  });
  const tar = ['-xf', '-', '-C', folder, '--strip-components=1', '--no-same-owner'];
  await run('tar', tar, folder, (input) => pipeline(createReadStream(file), createGunzip(), bounded, input));
}

/** Packs a folder so that `unpackFile` gives it back. */
export const packFolder = (folder: string, file: string): Promise<void> =>
  run('tar', ['-czf', file, '-C', dirname(folder), basename(folder)], dirname(folder));

/** Installs the libraries that a plugin brings; never what the host gives it, and no scripts unless allowed. */
export async function installLibraries(folder: string, allowScripts: boolean): Promise<void> {
  const scripts = allowScripts ? [] : ['--ignore-scripts'];
  await npm(
    ['install', '--omit=dev', '--omit=peer', '--legacy-peer-deps', '--no-package-lock', ...scripts],
    folder,
    'install what the plugin needs',
  );
}

async function npm(args: readonly string[], cwd: string, what: string): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  await run('npm', [...args, ...quiet], cwd).catch((error: unknown) => {
    throw new Problem('unavailable', `npm could not ${what}: ${(error as Error).message}`);
  });
}

/** `feed`: writes what the command reads. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  feed?: (input: Writable) => Promise<void>,
): Promise<void> {
  const child = spawn(command, [...args], {
    cwd,
    stdio: [feed ? 'pipe' : 'ignore', 'ignore', 'pipe'],
    timeout: maxCommandMs,
    killSignal: 'SIGKILL',
    shell: process.platform === 'win32' && command === 'npm',
    env: { ...process.env, npm_config_workspaces: undefined, npm_config_prefix: undefined },
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  const ended = new Promise<void>((done, fail) => {
    child.on('error', (error) => fail(new Error(`${command} cannot be run: ${error.message}`)));
    child.on('close', (code) =>
      code === 0
        ? done()
        : fail(new Error(said.trim() || `${command} ended with ${code ?? child.signalCode ?? 'no code'}`)),
    );
  });
  if (!feed || !child.stdin) return ended;
  const [fed, told] = await Promise.allSettled([feed(child.stdin), ended]);
  // a command may close its input when it has read enough
  const isClosed =
    fed.status === 'rejected' &&
    ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((fed.reason as NodeJS.ErrnoException).code ?? '');
  if (fed.status === 'rejected' && !isClosed) throw fed.reason;
  if (told.status === 'rejected') throw told.reason;
}
