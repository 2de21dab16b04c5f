import { mkdirSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BadRequest } from '@mortise/plugin-sdk';
import { BackupFolder } from '../backup/folder.js';
import { endRestore, prepareFolder, restoreData, restoreFiles } from '../backup/restore.js';
import type { HostOptions } from '../host.js';
import { tar } from './archive.js';
import { summaryOf } from './backup-command.js';

/**
 * Brings back a dump, or a point of a folder of back-ups (the newest, or the one that is named), into a work folder and
 * a database that hold nothing yet. Into either engine. A restore that was interrupted starts over the next time.
 */
export async function restore(
  options: HostOptions,
  workDir: string,
  source: string,
  { point: id }: { point?: string } = {},
): Promise<string[]> {
  const from = resolve(source);
  const about = statSync(from, { throwIfNoEntry: false });
  if (!about) throw BadRequest(`${from} does not exist.`);
  let folder = about.isDirectory() ? await BackupFolder.open(from) : undefined;
  if (folder && id) await folder.point(id);
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  await prepareFolder(workDir);
  const staging = join(workDir, 'tmp', 'restore');
  if (!folder) {
    await mkdir(staging, { recursive: true });
    await tar(['-x', '-f', from, '-C', staging]);
    folder = await BackupFolder.open(staging).catch(() => {
      throw BadRequest(`${from} is not a dump of Mortise, or one of another version.`);
    });
  }
  const point = id ? await folder.point(id) : (await folder.points()).at(-1);
  if (!point) throw BadRequest(`${from} contains no finished back-up.`);
  await restoreFiles(folder, point, workDir);
  const { createHost } = await import('../host.js');
  const host = await createHost({ ...options, restoring: true });
  try {
    await restoreData(host, folder, point);
  } finally {
    await host.stop();
  }
  await rm(staging, { recursive: true, force: true });
  await endRestore(workDir);
  return [`restored into ${workDir}: ${summaryOf(point)}`, ...point.notes, 'next: mortise doctor, then mortise web'];
}
