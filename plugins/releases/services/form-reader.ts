import { BadRequest, TooLarge } from '@mortise/plugin-sdk';

export interface PartHeader {
  readonly name: string;
  /** Undefined: a field, no file. */
  readonly fileName: string | undefined;
}

/** Headers, fields, boundaries: everything of a form that is no content of a file. */
const mostBesides = 1 << 16;

/**
 * Reads a multipart form (RFC 7578) from its beginning to its end, no faster than the contents of its files are taken:
 * nothing of them is held in memory.
 */
export class FormReader {
  private held: Buffer = Buffer.alloc(0);
  private besides = 0;
  private readonly delimiter: Buffer;

  constructor(
    private readonly source: AsyncIterator<Buffer>,
    boundary: string,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  static boundaryOf(contentType: string): string {
    const found = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType);
    if (!found) throw BadRequest('the form has no boundary');
    return (found[1] ?? found[2])!;
  }

  /** Before the first part. */
  async begin(): Promise<void> {
    // The first boundary may stand at the very beginning, without a line before it.
    this.held = Buffer.from('\r\n');
    await this.text(this.delimiter);
  }

  /** The header of the next part; undefined at the end. */
  async next(): Promise<PartHeader | undefined> {
    const rest = (await this.text(Buffer.from('\r\n'), true)).trim();
    if (rest.startsWith('--')) return undefined;
    if (rest) throw BadRequest('the form has text behind a boundary');
    // A part without headers begins with an empty line; with them they end in one.
    this.held = Buffer.concat([Buffer.from('\r\n'), this.held]);
    const lines = (await this.text(Buffer.from('\r\n\r\n'))).split(/\r\n(?![\t ])/);
    const line = lines.find((one) => /^content-disposition:/i.test(one)) ?? '';
    const name = parameter(line, 'name');
    if (name === undefined) throw BadRequest('a part of the form has no name');
    return { name, fileName: extended(line) ?? parameter(line, 'filename') };
  }

  /** The content of a field. */
  value(): Promise<string> {
    return this.text(this.delimiter);
  }

  /** The content of a file; must be read to its end. */
  async *content(): AsyncGenerator<Buffer> {
    const keep = this.delimiter.length - 1;
    for (;;) {
      const at = this.held.indexOf(this.delimiter);
      if (at >= 0) {
        const last = this.held.subarray(0, at);
        this.held = this.held.subarray(at + this.delimiter.length);
        if (last.length) yield last;
        return;
      }
      if (this.held.length > keep) {
        const ready = this.held.subarray(0, this.held.length - keep);
        this.held = this.held.subarray(this.held.length - keep);
        yield ready;
      }
      await this.more();
    }
  }

  /** All up to the delimiter, which is passed over; `orEnd`: the end of the body will do. */
  private async text(delimiter: Buffer, orEnd = false): Promise<string> {
    for (;;) {
      const at = this.held.indexOf(delimiter);
      if (at >= 0) {
        this.besides += at + delimiter.length;
        if (this.besides > mostBesides) break;
        const found = this.held.subarray(0, at).toString('utf8');
        this.held = this.held.subarray(at + delimiter.length);
        return found;
      }
      if (this.besides + this.held.length > mostBesides) break;
      if (!(await this.more(orEnd))) return this.held.toString('utf8');
    }
    throw TooLarge('the form has too much beside its files');
  }

  private async more(orEnd = false): Promise<boolean> {
    const { done, value } = await this.source.next();
    if (done) {
      if (orEnd) return false;
      throw BadRequest('the form ended too early');
    }
    this.held = this.held.length ? Buffer.concat([this.held, value]) : value;
    return true;
  }
}

/** A parameter of a header, quoted or not; browsers write quotes as %22. */
function parameter(line: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(line);
  const value = found?.[1]?.replace(/\\(["\\])/g, '$1') ?? found?.[2];
  return value?.replace(/%22/g, '"').replace(/%0D%0A|%0D|%0A/gi, ' ');
}

/** `filename*=UTF-8''…` (RFC 5987). */
function extended(line: string): string | undefined {
  const found = /;\s*filename\*=utf-8'[^']*'([^;\s]+)/i.exec(line);
  try {
    return found?.[1] && decodeURIComponent(found[1]);
  } catch {
    return undefined;
  }
}
