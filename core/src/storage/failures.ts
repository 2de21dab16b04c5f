import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isUnavailable } from '../unavailable.js';

/** Nothing can be written: the disk or the quota is full, or the file system was mounted read-only. */
const codes = /^(ENOSPC|EDQUOT|EROFS|ER_DISK_FULL|ER_RECORD_FILE_FULL|SQLITE_FULL|SQLITE_READONLY(_\w+)?)$/;
const maxDepth = 5;

/** Did another server not answer in time, whichever it was? */
export function isTimeout(thrown: unknown): boolean {
  for (const error of chain(thrown)) if (error.name === 'TimeoutError') return true;
  return false;
}

function* chain(thrown: unknown): Iterable<Error & { code?: unknown }> {
  for (let error = thrown, depth = 0; error instanceof Error && depth < maxDepth; error = error.cause, depth++)
    yield error;
}

/** Could something not be stored for want of a disk that takes it? It passes once somebody sees to it. */
export function isStorageFailure(thrown: unknown): boolean {
  for (const error of chain(thrown)) {
    if (typeof error.code === 'string' && codes.test(error.code)) return true;
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    // Node.js says ENOENT where a folder cannot be made with its parents.
    if (code === 'ENOENT' && syscall === 'mkdir' && path !== undefined && isReadOnly(nearest(path))) return true;
  }
  return false;
}

/** Does the folder lie on a file system that was mounted read-only? Rights of users are another matter. */
export function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

function nearest(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Does an S3-compatible store not answer, or say that it has too much to do? Its client marks each error. */
export function isStorageUnavailable(thrown: unknown): boolean {
  for (const error of chain(thrown)) {
    if (!('$metadata' in error)) continue;
    const { httpStatusCode: status } = error.$metadata as { httpStatusCode?: number };
    return status === undefined ? isUnavailable(error) : status >= 500 || status === 429;
  }
  return false;
}
