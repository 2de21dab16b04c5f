/** Hard links from one object folder to another (copies where links are not possible). */
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function linkObjects(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    // objects of pushes under way, and where else git may look, stay behind
    if (entry.name.startsWith('tmp_') || entry.name === 'alternates' || entry.name.endsWith('.lock')) continue;
    if (entry.isDirectory()) await linkObjects(source, target);
    else if (entry.isFile())
      await link(source, target).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST' || error.code === 'ENOENT') return;
        await copyFile(source, target);
      });
  }
}
