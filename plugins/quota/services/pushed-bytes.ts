import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes of what a push has brought, which git keeps in a folder of its own until the push is accepted: a pack, or a few
 * loose objects (githooks, pre-receive: quarantine).
 */
export async function pushedBytes(quarantine: Readonly<Record<string, string>>): Promise<number> {
  const folder = quarantine['GIT_QUARANTINE_PATH'] || quarantine['GIT_OBJECT_DIRECTORY'];
  if (!folder) return 0;
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
