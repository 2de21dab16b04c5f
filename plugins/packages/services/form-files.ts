import { Transform, type Readable, type TransformCallback } from 'node:stream';

const maxHead = 16 * 1024;

/**
 * Gives parts of a form a file name that have none though they are files: some clients send archives as plain fields,
 * which would be read as text. Only heads of parts are touched, told by the boundary.
 */
class NamedFiles extends Transform {
  #rest: Buffer = Buffer.alloc(0);
  #isHead = false;
  readonly #delimiter: Buffer;

  constructor(
    boundary: string,
    private readonly fields: readonly string[],
  ) {
    super();
    this.#delimiter = Buffer.from(`--${boundary}\r\n`);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (this.#isHead ? this.#takeHead() : this.#takeContent());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(this.#rest);
    done();
  }

  /** Up to the next boundary; the tail that may begin one waits. */
  #takeContent(): boolean {
    const at = this.#rest.indexOf(this.#delimiter);
    const end = at < 0 ? this.#rest.length - this.#delimiter.length + 1 : at + this.#delimiter.length;
    if (end > 0) this.push(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(Math.max(0, end));
    this.#isHead = at >= 0;
    return this.#isHead;
  }

  #takeHead(): boolean {
    const at = this.#rest.indexOf('\r\n\r\n');
    if (at < 0 && this.#rest.length < maxHead) return false;
    const end = at < 0 ? this.#rest.length : at;
    this.push(Buffer.from(this.#named(this.#rest.toString('latin1', 0, end)), 'latin1'));
    this.#rest = this.#rest.subarray(end);
    this.#isHead = false;
    return true;
  }

  #named(head: string): string {
    return head.replace(/^content-disposition:[^\r\n]*/im, (line) => {
      const name = /;\s*name="?([\w-]+)"?/i.exec(line)?.[1];
      return name && this.fields.includes(name) && !/;\s*filename\*?=/i.test(line)
        ? `${line}; filename="${name}"`
        : line;
    });
  }
}

/** The form with file names where `fields` lack them. */
export function nameFiles(stream: Readable, contentType: string, fields: readonly string[]): Readable {
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType);
  if (!boundary || fields.length === 0) return stream;
  const named = new NamedFiles((boundary[1] ?? boundary[2])!, fields);
  stream.once('error', (error) => named.destroy(error));
  return stream.pipe(named);
}
