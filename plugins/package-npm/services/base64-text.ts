import { BadRequest } from '@mortise/plugin-sdk';

const quote = 0x22;
const backslash = 0x5c;
const invalid = () => BadRequest('package attachment is invalid');
/** What may stand behind a backslash in base64, as JSON writes it. */
const escapes: Readonly<Record<string, string>> = { '/': '/', n: '', r: '', t: '', '"': '!', '\\': '!' };

/** Reads the text of a JSON string as base64, in pieces that may end anywhere. */
export class Base64Text {
  /** Of a group of four, or of an escape, whose rest has not come yet. */
  #rest = '';
  #escape = '';
  #padding = 0;

  /** Bytes of a piece; `end` is the place behind the closing quote. */
  push(chunk: Buffer): { readonly bytes: Buffer; readonly end?: number } {
    let from = 0;
    let text = '';
    while (from < chunk.length) {
      if (this.#escape) {
        this.#escape += String.fromCharCode(chunk[from++]!);
        text += this.#unescaped();
        continue;
      }
      const end = closest(chunk.indexOf(quote, from), chunk.length);
      const slash = chunk.subarray(from, end).indexOf(backslash);
      if (slash >= 0) {
        text += chunk.toString('latin1', from, from + slash);
        this.#escape = '\\';
        from += slash + 1;
        continue;
      }
      text += chunk.toString('latin1', from, end);
      if (end < chunk.length) return { bytes: this.#decode(text), end: end + 1 };
      from = end;
    }
    return { bytes: this.#decode(text) };
  }

  /** The last bytes, when the quote has come. */
  finish(): Buffer {
    const rest = this.#rest;
    this.#rest = '';
    // padding may be left out, but not be wrong
    if (rest.length === 1 || (this.#padding > 0 && (rest.length + this.#padding) % 4 !== 0)) throw invalid();
    return Buffer.from(rest, 'base64');
  }

  #unescaped(): string {
    const kind = this.#escape[1]!;
    if (kind === 'u') {
      if (this.#escape.length < 6) return '';
      const code = Number.parseInt(this.#escape.slice(2), 16);
      this.#escape = '';
      if (!(code < 128)) throw invalid();
      return String.fromCharCode(code);
    }
    const character = Object.hasOwn(escapes, kind) ? escapes[kind]! : '!';
    this.#escape = '';
    return character;
  }

  #decode(given: string): Buffer {
    const text = given.replace(/[ \t\r\n]+/g, '');
    const [plain = '', padding] = /^([A-Za-z0-9+/]*)(=*)$/.exec(text)?.slice(1) ?? [];
    if (padding === undefined || (this.#padding > 0 && plain !== '')) throw invalid();
    this.#padding += padding.length;
    if (this.#padding > 2) throw invalid();
    const all = this.#rest + plain;
    const whole = all.length - (all.length % 4);
    this.#rest = all.slice(whole);
    return Buffer.from(all.slice(0, whole), 'base64');
  }
}

const closest = (found: number, otherwise: number) => (found < 0 ? otherwise : found);
