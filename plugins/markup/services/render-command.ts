import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listOf, type CommandSettings } from '../settings.js';

/** Bytes of HTML; the same bound as for what threads render. */
const maxOutput = 6 << 20;
/** Characters of what a failing command complains about. */
const maxStderr = 500;
/** Where the system knows no such limit the work goes on without it. Others are served first. */
const script = 'ulimit -c 0; ulimit -v "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec nice -n 10 "$@"';

/** A program of the operator that renders files (`[markup.NAME]`). */
export interface RenderCommand {
  /** Of the section. */
  readonly name: string;
  /** Lower case, with the dot. */
  readonly extensions: readonly string[];
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly isInputFile: boolean;
  /** Words of the result become links. */
  readonly findsReferences: boolean;
}

/** Those of the settings that are on, by section. */
export const renderCommands = (sections: ReadonlyMap<string, CommandSettings>): readonly RenderCommand[] =>
  [...sections]
    .map(([name, settings]) => ({
      name,
      isOn: settings.ENABLED,
      extensions: listOf(settings.FILE_EXTENSIONS),
      words: settings.RENDER_COMMAND.split(/\s+/).filter(Boolean),
      isInputFile: settings.IS_INPUT_FILE,
      findsReferences: settings.NEED_POST_PROCESS,
    }))
    .filter(({ isOn, words }) => isOn && words.length > 0);

export interface CommandInput {
  readonly text: string;
  /** Ending of the file, with the dot. */
  readonly extension: string;
  /** Addresses that relative links and images of the file lead below. */
  readonly sourcePrefix: string;
  readonly rawPrefix: string;
}

interface CommandLimits {
  readonly milliseconds: number;
  /** MiB of address space for each process; 0: no limit. */
  readonly memory: number;
  /** Ends it before. */
  readonly signal: AbortSignal;
}

/**
 * HTML as the command writes it, which nobody has looked at yet. It runs in an empty folder of its own, with nothing of this
 * process' environment but the path, and ends with all processes that it has begun.
 *
 * @throws Error where it fails, takes too long, or writes too much
 */
export async function runRenderCommand(
  { words, isInputFile }: RenderCommand,
  { text, extension, sourcePrefix, rawPrefix }: CommandInput,
  limits: CommandLimits,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-render-'));
  try {
    const file = join(folder, `input${extension}`);
    if (isInputFile) await writeFile(file, text);
    const prefixes = { GITEA_PREFIX_SRC: sourcePrefix, GITEA_PREFIX_RAW: rawPrefix };
    const args = words.map((word) =>
      word.replace(/\$(GITEA_PREFIX_(?:SRC|RAW))\b/g, (_all, name) => prefixes[name as keyof typeof prefixes]),
    );
    return await outputOf(isInputFile ? [...args, file] : args, isInputFile ? '' : text, {
      ...limits,
      folder,
      env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', ...prefixes },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ProcessOptions extends CommandLimits {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

function outputOf(
  words: readonly string[],
  input: string,
  { folder, env, memory, milliseconds, signal }: ProcessOptions,
): Promise<string> {
  const limits = [memory === 0 ? 'unlimited' : String(memory * 1024), String(Math.ceil(milliseconds / 1000))];
  return new Promise((resolve, reject) => {
    // a group of its own, so that no process that it starts outlives it
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...limits, ...words], { cwd: folder, env, detached: true });
    child.once('error', reject);
    // it could not be started, and may have no streams
    if (child.pid === undefined) return;
    const { pid } = child;
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failure = '';
    const end = (reason: string) => {
      failure ||= reason;
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // nothing of it is left
      }
      // a process that left the group may hold them open for ever
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    };
    const onAbort = () => end('the server stops');
    const clock = setTimeout(() => end(`it took longer than ${milliseconds} ms`), milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) end('it wrote too much');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = `${stderr}${chunk.toString('utf8')}`.slice(0, maxStderr);
    });
    child.once('close', (code, killedBy) => {
      clearTimeout(clock);
      signal.removeEventListener('abort', onAbort);
      if (code !== 0) failure ||= `it ended with ${code ?? killedBy}: ${stderr.trim()}`;
      if (failure) reject(new Error(failure));
      else resolve(Buffer.concat(chunks).toString('utf8'));
      end('');
    });
    // it may end without reading everything; its exit code says why
    child.stdin.once('error', () => undefined);
    child.stdin.end(input);
    if (signal.aborted) onAbort();
  });
}
