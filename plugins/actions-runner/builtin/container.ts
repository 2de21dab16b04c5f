import { constants, type Dirent } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { variable } from './toolkit.js';

/** The user of the job's container, outside of which this runs; empty where the job has none. */
export const containerUser = (): string => variable('MORTISE_CONTAINER_USER');

/** Files and folders checked at most. */
const maxEntries = 20_000;

/** Describes the first file that only the user of the container can access, if there is one. */
export async function inaccessibleFileProblem(): Promise<string | undefined> {
  const { R_OK, W_OK, X_OK } = constants;
  return (await firstInaccessible(R_OK, R_OK | X_OK)) ?? firstInaccessible(R_OK, R_OK | X_OK | W_OK);
}

async function firstInaccessible(ofFiles: number, ofFolders: number): Promise<string | undefined> {
  const workspace = variable('GITHUB_WORKSPACE');
  const open = [workspace];
  for (let count = 0; count < maxEntries;) {
    const folder = open.pop();
    if (folder === undefined) return undefined;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])) {
      count++;
      if (entry.isSymbolicLink()) continue;
      const path = join(folder, entry.name);
      const isAccessible = await access(path, entry.isDirectory() ? ofFolders : ofFiles).then(
        () => true,
        () => false,
      );
      if (!isAccessible) return inaccessibleMessage(relative(workspace, path), (await lstat(path)).uid);
      if (entry.isDirectory()) open.push(path);
    }
  }
  return undefined;
}

const inaccessibleMessage = (path: string, uid: number): string =>
  `"${path}" belongs to user ${uid}, as a step in the container has made it. This action runs outside the container, as user ${process.getuid?.() ?? ''}: let a step before it say "chmod -R a+rwX ."`;

/** Throws unless the path is one that container and machine share. */
export function requireShared(path: string): void {
  if (containerUser() === '') return;
  const shared = [variable('GITHUB_WORKSPACE'), homedir(), variable('RUNNER_TEMP')];
  const full = resolve(variable('GITHUB_WORKSPACE'), path);
  if (!shared.some((folder) => full === folder || full.startsWith(`${folder}/`)))
    throw new Error(
      `"${path}" is in the container, and this action runs outside it: it reaches the workspace, $HOME and $RUNNER_TEMP`,
    );
}
