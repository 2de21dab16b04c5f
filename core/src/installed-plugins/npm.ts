import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BadRequest, Problem } from '@mortise/plugin-sdk';

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
  if (/^(?:@[\w.~-]+\/)?[\w.~-]+(?:@[\w.^~<>=|* -]+)?$/.test(text) && !/\.(tgz|tar\.gz)$/.test(text))
    return { kind: 'registry', text };
  throw BadRequest(`${text} does not exist. Name a package, a packed file or a folder.`);
}

/** Lays the content of the package into `staging/package`. */
export async function unpack(wanted: Wanted, staging: string): Promise<string> {
  const packed = join(staging, 'packed');
  await mkdir(packed);
  if (wanted.kind === 'file') await cp(wanted.text, join(packed, basename(wanted.text)));
  else
    await npm(['pack', wanted.text, '--pack-destination', packed, '--ignore-scripts'], staging, `get ${wanted.text}`);
  const [file] = await readdir(packed);
  if (!file) throw new Problem('unavailable', `npm did not give ${wanted.text}`);
  const folder = join(staging, 'package');
  await mkdir(folder);
  await run('tar', ['-xzf', join(packed, file), '-C', folder, '--strip-components=1'], staging).catch(
    (error: unknown) => {
      throw BadRequest(`${wanted.text} cannot be unpacked: ${(error as Error).message}`);
    },
  );
  return folder;
}

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

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(command, [...args], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
      env: { ...process.env, npm_config_workspaces: undefined, npm_config_prefix: undefined },
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
    child.on('error', (error) => fail(new Error(`${command} cannot be run: ${error.message}`)));
    child.on('close', (code) =>
      code === 0 ? done() : fail(new Error(said.trim() || `${command} ended with ${String(code)}`)),
    );
  });
}
