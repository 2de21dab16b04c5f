import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFolder } from '@mortise/plugin-sdk';
import type { SourceSettings } from './source-settings.js';

interface FolderSize {
  files: number;
  bytes: number;
}

const folders: readonly SourceFolder[] = [
  'repositories',
  'lfs',
  'packages',
  'attachments',
  'avatars',
  'repo-avatars',
  'actions_log',
  'actions_artifacts',
];

/** As `bench/takeover.mjs` measures them on two cores: what a first pass does in a second. */
const rowsPerSecond = 500;
const filesPerSecond = 150;
const bytesPerSecond = 50 * 1024 * 1024;

/** Files below a folder; links are not followed. Zero where there is none. */
async function sizeOf(folder: string): Promise<FolderSize> {
  const size: FolderSize = { files: 0, bytes: 0 };
  const pending = [folder];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const entries = await opendir(path).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) pending.push(child);
      if (!entry.isFile()) continue;
      size.files++;
      size.bytes += (await lstat(child).catch(() => undefined))?.size ?? 0;
    }
  }
  return size;
}

/** What a first pass has to bring, folder by folder, and how long that may take. */
export async function sizeLines(settings: SourceSettings, rows: number): Promise<string[]> {
  const lines: string[] = [];
  let seconds = rows / rowsPerSecond;
  for (const name of folders) {
    const { files, bytes } = await sizeOf(settings.folder(name));
    if (files === 0) continue;
    lines.push(`files of ${name}: ${files}, ${(bytes / 1024 / 1024).toFixed(1)} MiB`);
    seconds += files / filesPerSecond + bytes / bytesPerSecond;
  }
  return [
    ...lines,
    `A first pass of ${rows} rows and these files may take ${Math.max(1, Math.ceil(seconds / 60))} min.`,
  ];
}
