/** The folder of a dump, which anybody may have made: nothing outside of it is read, whatever stands in it. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Invalid } from '@mortise/plugin-sdk';
import { parseYaml, readYamlList } from './documents.js';

/** Of a document that is read at once. */
const maxBytes = 16 * 1024 * 1024;
const maxLine = 16 * 1024 * 1024;

export class DumpFolder {
  constructor(readonly path: string) {}

  /** A plain file below; undefined where there is none. Throws `Invalid` for a path that leads out, and for links. */
  async open(path: string) {
    const names = path.split('/');
    if (names.some((part) => !part || part === '.' || part === '..' || /[\0\\]/.test(part)))
      throw Invalid(`${path.slice(0, 200)} is no path below the folder.`);
    for (const [at] of names.entries()) {
      const stat = await lstat(join(this.path, ...names.slice(0, at + 1))).catch(() => undefined);
      if (!stat) return undefined;
      const isLast = at === names.length - 1;
      if (isLast ? !stat.isFile() : !stat.isDirectory())
        throw Invalid(`${names.slice(0, at + 1).join('/')} is no plain ${isLast ? 'file' : 'folder'}.`);
    }
    return open(join(this.path, ...names), constants.O_RDONLY | constants.O_NOFOLLOW);
  }

  /** Bytes of a file; undefined where there is none. */
  async size(path: string): Promise<number | undefined> {
    const file = await this.open(path);
    if (!file) return undefined;
    try {
      return (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  /** One document; undefined where there is none. */
  async document(path: string): Promise<unknown> {
    const file = await this.open(path);
    if (!file) return undefined;
    try {
      if ((await file.stat()).size > maxBytes) throw Invalid(`${path} is too long.`);
      return parseYaml(await file.readFile('utf8'), path);
    } finally {
      await file.close();
    }
  }

  /** The elements of a document that is a list, some at a time; nothing where there is none. */
  async *list(path: string): AsyncGenerator<unknown[]> {
    const file = await this.open(path);
    if (!file) return;
    try {
      yield* readYamlList(linesOf(file.createReadStream({ encoding: 'utf8', autoClose: false }), path), path);
    } finally {
      await file.close();
    }
  }
}

/** Bounded, unlike those of `readline`. */
async function* linesOf(chunks: AsyncIterable<string>, path: string): AsyncGenerator<string> {
  let unfinishedLine = '';
  for await (const chunk of chunks) {
    const lines = chunk.split('\n');
    lines[0] = unfinishedLine + lines[0]!;
    unfinishedLine = lines.pop()!;
    if (unfinishedLine.length > maxLine) throw Invalid(`${path} has a line that is too long.`);
    yield* lines;
  }
  if (unfinishedLine) yield unfinishedLine;
}
