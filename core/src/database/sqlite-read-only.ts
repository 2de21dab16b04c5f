import { copyFileSync, existsSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface ReadableCopy {
  readonly file: string;
  remove(): void;
}

/**
 * SQLite needs to write beside a database in WAL mode even to read it. On a read-only disk nobody else can change it
 * either, so a copy in the temporary folder says the same.
 */
export function readableCopy(file: string): ReadableCopy {
  let folder: string;
  try {
    folder = mkdtempSync(join(tmpdir(), 'mortise-read-only-'));
  } catch (error) {
    throw new Error(
      `the disk is mounted read-only, and SQLite can read a database only where it can write beside it: ${tmpdir()} does not take a copy either`,
      { cause: error },
    );
  }
  const remove = () => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  const target = join(folder, basename(file));
  try {
    for (const ending of ['', '-wal'])
      if (existsSync(file + ending)) copyFileSync(file + ending, target + ending, constants.COPYFILE_FICLONE);
  } catch (error) {
    remove();
    throw error;
  }
  return { file: target, remove };
}
