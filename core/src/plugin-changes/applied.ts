import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The last change that was carried out in the folder of added plugins: a server that starts again goes on from there. */
const fileOf = (workDir: string): string => join(workDir, 'plugins', '.applied.json');

interface Applied {
  readonly change: number;
}

/** 0: none yet. */
export async function readApplied(workDir: string): Promise<number> {
  try {
    return (JSON.parse(await readFile(fileOf(workDir), 'utf8')) as Applied).change;
  } catch {
    return 0;
  }
}

export async function writeApplied(workDir: string, change: number): Promise<void> {
  const file = fileOf(workDir);
  await writeFile(`${file}.draft`, JSON.stringify({ change } satisfies Applied), { mode: 0o600 });
  await rename(`${file}.draft`, file);
}
