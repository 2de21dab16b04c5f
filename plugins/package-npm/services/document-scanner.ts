import { BadRequest, TooLarge } from '@mortise/plugin-sdk';
import { provenanceEnding } from './provenance.js';

const quote = 0x22;
const backslash = 0x5c;
const maxDepth = 500;
/** Longer keys are none of those that are looked for. */
const maxKey = 1024;

/**
 * Follows a JSON document as it arrives and stops where the content of an attachment begins: the string at
 * `_attachments.NAME.data`. The rest goes to a parser, which also rejects invalid JSON.
 */
export class DocumentScanner {
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  /** Per open object its present key, per open array `undefined`. */
  readonly #path: (string | undefined)[] = [];
  #isObject: boolean[] = [];
  #isKey = false;
  #key = '';
  #inString = false;
  #escaped = false;

  constructor(private readonly maxBytes: number) {}

  /** Name of the attachment at whose content the scan stopped. */
  get attachment(): string {
    return this.#path[1] ?? '';
  }

  /** Takes a piece; gives the place behind the opening quote of an attachment's content, when there is one in it. */
  scan(chunk: Buffer): number | undefined {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) this.#string(byte);
      else if (byte === quote) {
        if (!this.#isKey && this.#isContent()) {
          // an empty string stands for the content
          this.#keep(chunk.subarray(0, at + 1));
          return at + 1;
        }
        this.#inString = true;
        this.#key = '';
      } else this.#sign(byte);
    }
    this.#keep(chunk);
    return undefined;
  }

  /** The closing quote of the content was read by somebody else. */
  endContent(): void {
    this.#keep(Buffer.from('"'));
  }

  text(): string {
    return Buffer.concat(this.#kept, this.#bytes).toString('utf8');
  }

  #isContent(): boolean {
    const path = this.#path;
    return (
      path.length === 3 &&
      this.#isObject.every(Boolean) &&
      path[0] === '_attachments' &&
      path[1] !== undefined &&
      // text, and short
      !path[1].endsWith(provenanceEnding) &&
      path[2] === 'data'
    );
  }

  #string(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) {
      this.#inString = false;
      if (this.#isKey && this.#path.length <= 3) this.#path[this.#path.length - 1] = keyOf(this.#key);
      return;
    }
    if (this.#isKey && this.#path.length <= 3 && this.#key.length < maxKey) this.#key += String.fromCharCode(byte);
  }

  #sign(byte: number): void {
    switch (byte) {
      case 0x7b: // {
      case 0x5b: // [
        if (this.#path.length >= maxDepth) throw BadRequest('The request body is nested too deeply.');
        this.#path.push(undefined);
        this.#isObject.push(byte === 0x7b);
        this.#isKey = byte === 0x7b;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        this.#path.pop();
        this.#isObject.pop();
        this.#isKey = false;
        break;
      case 0x2c: // ,
        this.#isKey = this.#isObject.at(-1) ?? false;
        break;
      case 0x3a: // :
        this.#isKey = false;
        break;
      default:
    }
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.maxBytes)
      throw TooLarge(`The document without its files is larger than ${this.maxBytes} bytes.`);
    if (chunk.length > 0) this.#kept.push(Buffer.from(chunk));
  }
}

/** Bytes of a key as its text. */
function keyOf(latin: string): string | undefined {
  try {
    return JSON.parse(`"${Buffer.from(latin, 'latin1').toString('utf8')}"`) as string;
  } catch {
    return undefined;
  }
}
