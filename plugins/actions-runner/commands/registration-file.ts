import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { RunAs } from '../engine/run-program.js';
import type { RunnerHost } from '../engine/types.js';
import type { Registration } from '../remote/client.js';

export const runnerVersion = '1.0.0';

/** What a runner keeps in its file. Undefined without one. */
export function readRegistration(file: string): Registration | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  return JSON.parse(text) as Registration;
}

/** Only its owner may read the file: the token in it is the runner. */
export async function writeRegistration(file: string, registration: Registration): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(registration, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Whose processes jobs are: a user's name, or nothing for the runner's own. Throws for a user that there is not. */
export function systemUser(name: string): RunAs | undefined {
  if (name === '') return undefined;
  if (!/^[a-z_][\w-]*$/i.test(name)) throw new Error(`"${name}" is no name of a user`);
  if (process.getuid?.() !== 0) throw new Error('only root can run jobs as another user');
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  const user = { uid: id('-u'), gid: id('-g') };
  if (user.uid === 0) throw new Error('jobs must not run as root');
  return user;
}

/** Where jobs run, below a folder of the runner. */
export function runnerHost(options: {
  readonly folder: string;
  readonly address: string;
  readonly name: string;
  readonly user?: RunAs;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly maxLogBytes?: number;
  readonly workspace?: string;
  readonly containers?: string;
  readonly volumes?: readonly string[];
}): RunnerHost {
  const folder = resolve(options.folder);
  return {
    workFolder: join(folder, 'work'),
    toolFolder: join(folder, 'tools'),
    serverUrl: options.address.replace(/\/+$/, ''),
    runnerName: options.name || hostname(),
    version: runnerVersion,
    timeout: options.timeout ?? 3 * 3_600_000,
    maxLogBytes: options.maxLogBytes ?? 100 * 1_048_576,
    containers: options.containers ?? 'auto',
    volumes: options.volumes ?? [],
    ...(options.user ? { runAs: options.user } : {}),
    ...(options.workspace ? { workspace: resolve(options.workspace) } : {}),
  };
}

/** Lets the user of jobs through to their folders; what lies beside them keeps its own rights. */
export async function grantAccess(host: RunnerHost, folder: string): Promise<void> {
  await mkdir(host.workFolder, { recursive: true, mode: 0o711 });
  if (!host.runAs) return;
  for (const path of [resolve(folder), host.workFolder]) await chmod(path, 0o711);
}
