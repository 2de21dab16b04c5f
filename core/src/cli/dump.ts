import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { BadRequest } from '@mortise/plugin-sdk';
import { createBackup, type BackupOptions } from '../backup/create.js';
import { BackupFolder } from '../backup/folder.js';
import type { Host } from '../host.js';
import { tar } from './archive.js';
import { summaryOf, faultsOf } from './backup-command.js';

/** Writes a back-up of one point as one file. */
export async function dump(host: Host, target: string, options: BackupOptions = {}): Promise<string[]> {
  const { workDir } = host.composition;
  const file = resolve(target);
  if (existsSync(file)) throw BadRequest(`${file} already exists.`);
  if (!relative(workDir, file).startsWith('..'))
    throw BadRequest('The dump cannot be written into the work folder that it copies.');
  await mkdir(dirname(file), { recursive: true });
  // In the work folder, so that large files are linked and not copied.
  const temporaryFolder = join(workDir, 'tmp');
  await mkdir(temporaryFolder, { recursive: true });
  const staging = await mkdtemp(join(temporaryFolder, 'dump-'));
  const partial = `${file}.part`;
  try {
    const folder = await BackupFolder.make(staging, { linked: true });
    const point = await createBackup(host, folder, options);
    await tar(['-c', ...(file.endsWith('gz') ? ['-z'] : []), '-f', partial, '-C', staging, '.']);
    await rename(partial, file);
    return [`written: ${file} (${summaryOf(point)})`, ...faultsOf(point), ...point.notes];
  } finally {
    await rm(partial, { force: true });
    await rm(staging, { recursive: true, force: true });
  }
}
