import { StringDecoder } from 'node:string_decoder';

/** Longest line in characters; the rest of a longer one is dropped. */
export const maxLine = 65_536;

/** Cuts output into lines. Holds at most one line, however much comes without an end. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #take: (line: string) => void;
  readonly #extra: () => number;
  #open = '';
  #isCut = false;

  /** `extra`: characters kept beyond the limit, so that a secret at the end of a line can be masked as a whole. */
  constructor(take: (line: string) => void, extra: () => number = () => 0) {
    this.#take = take;
    this.#extra = extra;
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#add(text, start, end);
      this.#end();
      start = end + 1;
    }
    this.#add(text, start, text.length);
  }

  /** The last line, where it has no end. */
  finish(): void {
    this.#add(this.#decoder.end(), 0, Infinity);
    if (this.#open !== '' || this.#isCut) this.#end();
  }

  #add(text: string, start: number, end: number): void {
    const room = maxLine + this.#extra() - this.#open.length;
    const length = Math.min(end, text.length) - start;
    if (length <= 0) return;
    if (length > room) this.#isCut = true;
    if (room > 0) this.#open += text.slice(start, start + Math.min(length, room));
  }

  #end(): void {
    const line = this.#open.endsWith('\r') ? this.#open.slice(0, -1) : this.#open;
    this.#open = '';
    this.#isCut = false;
    this.#take(line);
  }
}
