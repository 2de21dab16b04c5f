import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const maxFile = 4 * 1_048_576;

/**
 * The text of a file that a step has written, or nothing. A link that a step has put in its place is not followed, what is
 * too large is refused, and so is the file of somebody else where jobs have a user of their own.
 */
export const readCommandFile = (path: string, uid?: number): string | undefined =>
  readOpened(path, constants.O_NOFOLLOW, uid);

/** The same of a file to which a link may lead: whose it is counts. */
export const readLinkedFile = (path: string, uid?: number): string | undefined => readOpened(path, 0, uid);

function readOpened(path: string, flags: number, uid?: number): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    if (uid !== undefined && stat.uid !== uid) throw new Error(`${nameOf(path)} is not a file of the job's user`);
    if (!stat.isFile()) throw new Error(`${nameOf(path)} is no plain file`);
    if (stat.size > maxFile) throw new Error(`${nameOf(path)} is larger than ${maxFile} bytes`);
    const content = Buffer.alloc(stat.size);
    let read = 0;
    while (read < content.length) {
      const got = readSync(file, content, read, content.length - read, read);
      if (got === 0) break;
      read += got;
    }
    return content.toString('utf8', 0, read).replace(/^\uFEFF/, '');
  } finally {
    closeSync(file);
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** `name=value` lines and `name<<END` … `END` blocks. Throws for what is neither. */
export function parsePairs(text: string, what: string): readonly (readonly [string, string])[] {
  const lines = text.split(/\r?\n/);
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line === '') continue;
    const equals = line.indexOf('=');
    const block = line.indexOf('<<');
    if (block >= 0 && (equals < 0 || block < equals)) {
      const end = line.slice(block + 2);
      const close = end === '' ? -1 : lines.indexOf(end, at + 1);
      if (close < 0) throw new Error(`${what}: the block "${line.slice(0, 50)}" does not end`);
      pairs.push([name(line.slice(0, block), what), lines.slice(at + 1, close).join('\n')]);
      at = close;
    } else if (equals > 0) pairs.push([name(line.slice(0, equals), what), line.slice(equals + 1)]);
    else throw new Error(`${what}: "${line.slice(0, 50)}" is not name=value`);
  }
  return pairs;
}

function name(text: string, what: string): string {
  if (text.trim() === '' || text.includes('\0')) throw new Error(`${what}: a name is missing`);
  return text;
}

/** Variables that a step must not set for the steps after it. */
export const isProtectedVariable = (variable: string): boolean =>
  /^(?:NODE_OPTIONS|(?:GITHUB|GITEA|RUNNER)_.*|ACTIONS_(?:RUNTIME|RESULTS|ID_TOKEN|CACHE)_.*)$/i.test(variable);
