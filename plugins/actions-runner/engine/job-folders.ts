import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { removeTree } from './path-handles.js';
import { killJob, jobMark } from './process-cleanup.js';
import type { RunAs } from './run-program.js';
import type { RunnerHost } from './types.js';

/** Folders below that of a job which its steps may write to. */
const innerFolders = ['workspace', 'home', 'temp', 'actions'] as const;

/** What the runner keeps for containers; not the job's. */
export const engineFolder = 'engine';

/** Which runner has made the folder of a job. */
const ownerFile = 'runner';
/** Milliseconds that a removal may take. */
const removalTimeoutMs = 5 * 60_000;
/** What has no owner yet is left alone so long. */
const youngMs = 60_000;

const removalSuffix = 'rm -rf -- "$@" || { chmod -R u+rwx -- "$@"; rm -rf -- "$@"; }';

/** Makes the folder of a job, which stays the runner's: no step can put a link in the place of a folder in it. */
export async function makeJobFolder(root: string, mode: number): Promise<void> {
  await mkdir(root, { recursive: true, mode });
  // Whatever the runner's own umask is.
  await chmod(root, mode);
  await writeFile(join(root, ownerFile), await thisRunner(), { mode: 0o600, flag: 'wx' });
}

/**
 * Removes the folder of a job, whose processes have ended. What steps have made in it is removed with their rights and no
 * others, so that no trick of theirs reaches what they could not reach themselves; what their containers have made as
 * others, by the runner.
 */
export async function removeJobFolder(root: string, runAs: RunAs | undefined): Promise<void> {
  const inner = innerFolders.map((name) => join(root, name));
  const child = spawn('/bin/sh', ['-c', removalSuffix, 'sh', ...inner], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', [jobMark]: root },
    stdio: 'ignore',
    detached: true,
    timeout: removalTimeoutMs,
    killSignal: 'SIGKILL',
    ...(runAs ?? {}),
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
  const hadContainers = runAs !== undefined && existsSync(join(root, engineFolder));
  for (const folder of inner) await (hadContainers ? removeTree(folder) : rmdir(folder)).catch(unlessGone);
  await rm(join(root, engineFolder), { recursive: true, force: true });
  await unlink(join(root, ownerFile)).catch(unlessGone);
  await rmdir(root).catch(unlessGone);
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const isJobName = (name: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(name);

/** Jobs that have a folder, by its name. */
export const jobsIn = async (workFolder: string): Promise<string[]> =>
  (await readdir(workFolder).catch(orNone<string[]>([]))).filter(isJobName);

const idFile = 'engine-id';

/**
 * The id of a work folder, by which an engine knows what its jobs have: another machine may have a folder of the same path
 * and the same engine. Empty where there is none.
 */
export const workIdOf = async (workFolder: string): Promise<string> =>
  readFile(join(workFolder, idFile), 'utf8').catch(orNone(''));

/** The same; it is made where there is none. */
export async function makeWorkId(workFolder: string): Promise<string> {
  const before = await workIdOf(workFolder);
  if (before !== '') return before;
  // Whole at once: another job may ask at the same time.
  const made = join(workFolder, `${idFile}-${randomUUID()}`);
  await writeFile(made, randomUUID(), { mode: 0o600, flag: 'wx' });
  try {
    await link(made, join(workFolder, idFile));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(made);
  }
  return workIdOf(workFolder);
}

/** Ends every process of a job, and where jobs have a user of their own all of that user, but those of jobs that run. */
export async function endProcesses(root: string, runAs: RunAs | undefined): Promise<void> {
  const real = (path: string) => realpath(path).catch(() => path);
  const own = await real(root);
  await killJob(root, runAs?.uid, async (mark) => (await real(mark)) !== own && isRunning(mark));
}

/**
 * Does a job run whose folder is said to be this, of whatever runner? Jobs say what they like: only a folder that belongs to
 * a runner counts, as they can make none.
 */
async function isRunning(root: string): Promise<boolean> {
  if (!isAbsolute(root) || !isJobName(basename(root))) return false;
  try {
    const made = await lstat(root);
    if (!made.isDirectory() || made.uid !== process.getuid?.()) return false;
    const file = await open(join(root, ownerFile), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const written = await file.stat();
      if (!written.isFile() || written.uid !== made.uid || written.size === 0 || written.size > 1000) return false;
      return !(await isGone(await file.readFile('utf8')));
    } finally {
      await file.close();
    }
  } catch (error) {
    // The machine could not tell.
    return ['EMFILE', 'ENFILE', 'EIO', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Ends and removes what runners that are gone have left: they were killed. */
export async function removeAbandoned({ workFolder, runAs }: Pick<RunnerHost, 'workFolder' | 'runAs'>): Promise<void> {
  for (const name of await jobsIn(workFolder)) {
    const root = join(workFolder, name);
    if (!(await isAbandoned(root).catch(() => false))) continue;
    try {
      // From now on it is this runner's: others let the removal be.
      await writeFile(join(root, ownerFile), await thisRunner(), { mode: 0o600 });
      await endProcesses(root, runAs);
      await removeJobFolder(root, runAs);
    } catch {
      // Another removes it too, or it stays.
    }
  }
}

async function isAbandoned(root: string): Promise<boolean> {
  const owner = await readFile(join(root, ownerFile), 'utf8').catch(orNone(''));
  if (owner === '') {
    const made = await stat(root).catch(() => undefined);
    return made?.isDirectory() === true && Date.now() - made.mtimeMs > youngMs;
  }
  return isGone(owner);
}

/** Has the runner ended that has written this? */
async function isGone(owner: string): Promise<boolean> {
  const [host, space, pid = '', start] = owner.split(' ');
  // That of another machine or container cannot be seen from here.
  if (host !== hostname() || space !== (await pidSpace())) return false;
  return (await startOf(pid)) !== start;
}

/** What is missing counts as this; what could not be read is no answer. */
const orNone =
  <T>(none: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return none;
    throw error;
  };

const thisRunner = async (): Promise<string> =>
  [hostname(), await pidSpace(), process.pid, await startOf(String(process.pid))].join(' ');

const pidSpace = (): Promise<string> => readlink('/proc/self/ns/pid').catch(() => 'none');

/** When a process started: another has the same number later. */
async function startOf(pid: string): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(orNone(''));
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
