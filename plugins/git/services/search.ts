import { isUtf8 } from 'node:buffer';
import { expressionSize, Invalid, type Problem } from '@mortise/plugin-sdk';
import { GitFailure } from './failure.js';
import type { GitRunner } from './git-runner.js';
import { decodeText, type TextEncoding } from './text-encoding.js';
import { t } from '../texts/index.js';

export interface SearchOptions {
  readonly path?: string;
  readonly limit?: number;
  readonly fixed?: boolean;
  readonly ignoreCase?: boolean;
}

export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Bytes of a line that are kept, its path included; a file may be one line. */
const maxLineBytes = 16 * 1024;
/** An expression can take for ever; who asked has gone by then. */
const maxSeconds = 15;
const maxPattern = 1000;
/** A fixed text needs no memory of its own; the largest file in the repository does. */
const fixedMemory = 2 * 1024 ** 3;
/** The expression that git compiles, and what it notes while it reads: both can be made to grow without end. */
const expressionMemory = 512 * 1024 ** 2;
const maxExpression = 1000;

/** Throws Invalid for expressions that cost more to compile than to use, and for those that git would never finish. */
function checkExpression(pattern: string): void {
  if (/\\[1-9]/.test(pattern)) throw Invalid(t.later('error.searchBackReference'));
  // what GNU reads as `{0,n}` counts too
  if (expressionSize(pattern.replaceAll('{,', '{0,')) > maxExpression) throw Invalid(t.later('error.searchLarge'));
}

/** Searches the files of a commit; reads no more of what git finds than is wanted. */
export async function search(
  runner: GitRunner,
  options: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
  commit: string,
  pattern: string,
  /** Asked for files whose lines are not UTF-8. */
  encodingOfFile: (path: string) => Promise<TextEncoding | undefined>,
  { path, limit = 200, fixed = true, ignoreCase = false }: SearchOptions,
): Promise<Hit[]> {
  if (pattern.length > maxPattern) throw Invalid(t.later('error.searchLong'));
  if (!fixed) checkExpression(pattern);
  const args = ['grep', '-z', '-n', '-I', '--no-color', fixed ? '-F' : '-E', ...(ignoreCase ? ['-i'] : [])];
  const stream = runner.stream([...args, '-e', pattern, commit, '--', ...(path ? [path] : [])], {
    ...options,
    okCodes: [0, 1],
    timeoutMs: Math.min(maxSeconds * 1000, runner.limits.readMs),
    bounds: { memory: fixed ? fixedMemory : expressionMemory, seconds: maxSeconds },
  });
  const hits: (Omit<Hit, 'text'> & { readonly text: Buffer })[] = [];
  try {
    for await (const row of rows(stream as AsyncIterable<Buffer>)) {
      if (hits.length >= limit) break;
      const [nameEnd, lineEnd] = [row.indexOf(0), row.indexOf(0, row.indexOf(0) + 1)];
      const path = row.toString('utf8', commit.length + 1, nameEnd);
      hits.push({ path, line: Number(row.toString('latin1', nameEnd + 1, lineEnd)), text: row.subarray(lineEnd + 1) });
    }
  } catch (error) {
    if (error instanceof GitFailure) throw refusal(error, fixed);
    throw error;
  }
  const encodings = new Map<string, TextEncoding | undefined>();
  for (const { path, text } of hits)
    if (!isUtf8(text) && !encodings.has(path)) encodings.set(path, await encodingOfFile(path));
  return hits.map((hit) => ({ ...hit, text: decodeText(hit.text, encodings.get(hit.path) ?? 'UTF-8').text }));
}

function refusal({ stderr, code }: GitFailure, fixed: boolean): Problem {
  const isOver = code < 0 || /out of memory|memory exhausted|cannot allocate|mmap failed/i.test(stderr);
  if (isOver) return Invalid(t.later(fixed ? 'error.searchSlow' : 'error.searchCost'));
  return Invalid(t.later('error.searchInvalid'));
}

/** Lines of a stream, of long ones the beginning. */
async function* rows(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    if (size < maxLineBytes && part.length) held.push(Buffer.from(part.subarray(0, maxLineBytes - size)));
    size += part.length;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      keep(chunk.subarray(from, end));
      yield Buffer.concat(held);
      held = [];
      size = 0;
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (size) yield Buffer.concat(held);
}
