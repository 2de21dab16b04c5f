import { maxLine } from './line-splitter.js';
import type { Masks } from './masks.js';

export interface LogLine {
  readonly time: Date;
  readonly content: string;
}

/** Where the lines of a job go. */
export interface LogTarget {
  write(line: LogLine): void;
  /** Resolves when more may be written. */
  ready(): Promise<void>;
}

/** The log of one job: masked, numbered, and no longer than its bound. */
export class JobLog {
  readonly masks: Masks;
  readonly #target: LogTarget;
  readonly #maxBytes: number;
  #bytes = 0;
  #isFull = false;
  /** Lines so far. */
  length = 0;

  constructor(target: LogTarget, masks: Masks, maxBytes: number) {
    this.#target = target;
    this.masks = masks;
    this.#maxBytes = maxBytes;
  }

  write(text: string): void {
    if (this.#isFull) return;
    const hidden = this.masks.hide(text);
    const line = hidden.length > maxLine ? `${hidden.slice(0, maxLine - 20)} … (cut)` : hidden;
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#bytes > this.#maxBytes) {
      this.#isFull = true;
      this.#put(`##[warning]The log has reached ${this.#maxBytes} bytes: what follows is left out.`);
    } else this.#put(line);
  }

  error(text: string): void {
    for (const line of text.split('\n').slice(0, 100)) this.#always(`##[error]${line}`);
  }

  ready(): Promise<void> {
    return this.#target.ready();
  }

  /** Writes an error even when the log is full. */
  #always(text: string): void {
    if (this.#isFull) this.#put(this.masks.hide(text).slice(0, maxLine));
    else this.write(text);
  }

  #put(content: string): void {
    this.length++;
    this.#target.write({ time: new Date(), content });
  }
}
