import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Its time is that of the last back-up; below the work folder. */
const fileOf = (workDir: string): string => join(workDir, 'last-backup');

export const noteBackup = (workDir: string): Promise<void> => writeFile(fileOf(workDir), '');

/** In milliseconds since 1970 UTC; undefined: none was made here. */
export const lastBackupAt = (workDir: string): Promise<number | undefined> =>
  stat(fileOf(workDir)).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => undefined,
  );
