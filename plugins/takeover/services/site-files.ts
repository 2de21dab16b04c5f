import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** More files than this are no pictures and style sheets of a site. */
const maxFiles = 10_000;
const maxDepth = 10;

/** Paths of regular files below a folder; none where there is no such folder. Links are left out. */
async function filesBelow(folder: string, below = '', depth = 0): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(below, entry.name);
    if (entry.isFile()) files.push(path);
    else if (entry.isDirectory() && depth < maxDepth) files.push(...(await filesBelow(folder, path, depth + 1)));
    if (files.length > maxFiles) break;
  }
  return files.slice(0, maxFiles);
}

/** What lies in `custom` there: public files are copied where there is none of that name here, the rest is reported. */
export async function takeSiteFiles(custom: string, workFolder: string, isDryRun: boolean): Promise<string[]> {
  let [copied, existing] = [0, 0];
  for (const path of await filesBelow(join(custom, 'public'))) {
    const target = join(workFolder, 'public', path);
    try {
      if (!isDryRun) {
        await mkdir(dirname(target), { recursive: true });
        await copyFile(join(custom, 'public', path), target, constants.COPYFILE_EXCL);
      }
      copied++;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      existing++;
    }
  }
  const lines = [`custom/public: ${copied} files copied, ${existing} are here already`];
  for (const name of ['templates', 'options', 'mailer']) {
    const { length } = await filesBelow(join(custom, name));
    if (length > 0) lines.push(`custom/${name}: ${length} files have no counterpart`);
  }
  return lines;
}
