import { Problem } from '@mortise/plugin-sdk';
import { GitFailure, type GitRunner } from './process.js';

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
const mostOfLine = 16 * 1024;
/** An expression can take for ever; who asked has gone by then. */
const mostMs = 15_000;

/** Searches the files of a commit; reads no more of what git finds than is wanted. */
export async function search(
  runner: GitRunner,
  place: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
  commit: string,
  pattern: string,
  { path, limit = 200, fixed = true, ignoreCase = false }: SearchOptions,
): Promise<Hit[]> {
  const args = ['grep', '-z', '-n', '-I', '--no-color', fixed ? '-F' : '-E', ...(ignoreCase ? ['-i'] : [])];
  const stream = runner.stream([...args, '-e', pattern, commit, '--', ...(path ? [path] : [])], {
    ...place,
    okCodes: [0, 1],
    timeoutMs: Math.min(mostMs, runner.limits.readMs),
  });
  const found: Hit[] = [];
  try {
    for await (const row of rows(stream as AsyncIterable<Buffer>)) {
      if (found.length >= limit) break;
      const [name = '', line = '', text = ''] = row.toString('utf8').split('\0');
      found.push({ path: name.slice(commit.length + 1), line: Number(line), text });
    }
  } catch (error) {
    if (error instanceof GitFailure) throw new Problem('invalid', 'the pattern is not valid');
    throw error;
  }
  return found;
}

/** Lines of a stream, of long ones the beginning. */
async function* rows(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    if (size < mostOfLine && part.length) held.push(Buffer.from(part.subarray(0, mostOfLine - size)));
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
