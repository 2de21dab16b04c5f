import type { Readable } from 'node:stream';
import { BadRequest, TooLarge } from './errors.js';
import { formatSize } from './formats.js';
import { t } from './texts/index.js';
import { unreadableBody } from './unreadable-body.js';

/** A file of a form while it arrives. */
export interface FormFile {
  /** Name of the form field. */
  readonly field: string;
  /** As the client named it, without folders; may be empty. */
  readonly fileName: string;
  readonly contentType: string;
  /** Flows no faster than it is read; fails with the form. */
  readonly content: Readable;
}

/** Values of the fields by name, in the order in which they came. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

interface MultipartOptions {
  /** Bytes of the whole body; absent or 0: unlimited. */
  readonly maxBytes?: number;
  /** Files that the form may hold; default: none, a file is refused with 400. */
  readonly maxFiles?: number;
  /** Default 1,000. */
  readonly maxFields?: number;
  /** Bytes of all names and values together; default 2 MiB. */
  readonly maxFieldBytes?: number;
  /** Milliseconds that the client may stay silent; default: unlimited. */
  readonly idleMs?: number;
  readonly signal?: AbortSignal;
  /**
   * Called for one file after the other, with the fields that came before it. What it leaves of the content is passed
   * over; what it throws ends the form. It must settle once the content has ended or failed.
   */
  onFile?(file: FormFile, fields: FormFields): Promise<void>;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const maxFieldNameBytes = 1024;
const defaultMaxFields = 1000;
const defaultMaxFieldBytes = 2 * 1024 * 1024;
/** Parts without a name, which are passed over, count too. */
const extraParts = 16;

export const isMultipart = (headers: Headers): boolean =>
  String(headers['content-type'] ?? '')
    .trimStart()
    .toLowerCase()
    .startsWith('multipart/form-data');

/**
 * Reads a multipart form (RFC 7578) from its beginning to its end and gives its fields. Bounded in bytes, parts and
 * headers; nothing of a file is held in memory. Refusals are 400 and 413; the source is then left flowing, so that the
 * client hears of them, and every file that was begun has been given back when the promise settles.
 */
export async function readMultipart(
  source: Readable,
  headers: Headers,
  options: MultipartOptions = {},
): Promise<FormFields> {
  const { maxBytes = 0, maxFiles = 0, maxFields = defaultMaxFields } = options;
  if (maxBytes > 0 && Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { default: busboy } = await import('busboy');
  let parser: ReturnType<typeof busboy>;
  try {
    parser = busboy({
      headers: { 'content-type': String(headers['content-type'] ?? '') },
      defParamCharset: 'utf8',
      limits: {
        fieldNameSize: maxFieldNameBytes,
        fieldSize: options.maxFieldBytes ?? defaultMaxFieldBytes,
        fields: maxFields,
        files: maxFiles,
        parts: maxFields + maxFiles + extraParts,
      },
    });
  } catch (error) {
    throw BadRequest(`The form could not be read: ${(error as Error).message}`);
  }
  return new FormReading(source, parser, options).result;
}

const tooLarge = (maxBytes: number) =>
  TooLarge(`The request body is larger than ${maxBytes} bytes.`, {
    text: t.later('error.tooLarge', { size: () => formatSize(maxBytes) }),
  });

/** One form on its way: the first thing that goes wrong ends it, once. */
class FormReading {
  readonly result: Promise<FormFields>;
  private readonly fields = new Map<string, string[]>();
  private readonly open = new Set<Readable>();
  /** The files so far, one after the other. */
  private files: Promise<void> = Promise.resolve();
  private bytes = 0;
  private fieldBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private failed = false;
  private resolve!: (fields: FormFields) => void;
  private reject!: (error: Error) => void;

  constructor(
    private readonly source: Readable,
    private readonly parser: ReturnType<typeof import('busboy')>,
    private readonly options: MultipartOptions,
  ) {
    this.result = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    const { maxFiles = 0, maxFields = defaultMaxFields, signal, idleMs } = options;
    parser
      .on('field', (name, value, info) => this.onField(name, value, info.nameTruncated || info.valueTruncated))
      .on('file', (name, content, info) => this.onFile(name, content, info))
      .once('filesLimit', () =>
        this.fail(
          maxFiles === 0
            ? BadRequest('This form takes no files.')
            : TooLarge(`A form can have at most ${maxFiles} ${maxFiles === 1 ? 'file' : 'files'}.`, {
                text: t.later('error.tooManyFiles', { count: maxFiles }),
              }),
        ),
      )
      .once('fieldsLimit', () => this.fail(TooLarge(`A form can have at most ${maxFields} fields.`)))
      .once('partsLimit', () => this.fail(TooLarge('The form has too many parts.')))
      .on('error', (error: unknown) => this.fail(unreadable(error)))
      .once('close', () => this.onParsed());
    source.on('data', this.onData).on('error', this.onSourceError).on('close', this.onSourceClose);
    signal?.addEventListener('abort', this.onAbort, { once: true });
    if (idleMs) this.timer = setTimeout(() => this.onSilence(), idleMs);
    if (signal?.aborted) this.onAbort();
    else if (source.destroyed && !source.readableEnded) this.onSourceClose();
    else source.pipe(parser);
  }

  private readonly onData = (chunk: Buffer): void => {
    const { maxBytes = 0 } = this.options;
    this.timer?.refresh();
    this.bytes += chunk.length;
    if (maxBytes > 0 && this.bytes > maxBytes) this.fail(tooLarge(maxBytes));
  };

  private readonly onSourceError = (error: Error): void => this.fail(unreadable(error));

  private readonly onSourceClose = (): void => {
    if (!this.source.readableEnded) this.fail(BadRequest('The request body ended too early.'));
  };

  private readonly onAbort = (): void => this.fail(BadRequest('The request body did not arrive in time.'));

  /** Silent is the client only while we would take more of it. */
  private onSilence(): void {
    if (this.source.isPaused()) this.timer?.refresh();
    else this.onAbort();
  }

  private onField(name: string | undefined, value: string, isTruncated: boolean): void {
    if (this.failed) return;
    if (name === undefined) return this.fail(BadRequest('A part of the form has no name.'));
    const { maxFieldBytes = defaultMaxFieldBytes } = this.options;
    this.fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (isTruncated || this.fieldBytes > maxFieldBytes)
      return this.fail(TooLarge('The fields of the form are too large.'));
    const known = this.fields.get(name);
    if (known) known.push(value);
    else this.fields.set(name, [value]);
  }

  private onFile(
    field: string | undefined,
    content: Readable,
    { filename, mimeType }: { filename?: string; mimeType: string },
  ): void {
    // the reader of the content may come later, or never
    content.on('error', () => undefined);
    // when a form ends too early the parser tells the reader of the content first
    const destroy = content.destroy.bind(content);
    content.destroy = (error) => destroy(error && unreadable(error));
    if (this.failed || field === undefined) {
      content.destroy();
      return this.fail(BadRequest('A part of the form has no name.'));
    }
    this.open.add(content);
    content.once('close', () => this.open.delete(content));
    const file: FormFile = { field, fileName: plainName(filename ?? ''), contentType: mimeType, content };
    // what has been parsed by the time that the file's turn comes is chance
    const before = new Map([...this.fields].map(([name, values]) => [name, [...values]]));
    this.files = this.files
      .then(() => (this.failed ? undefined : this.options.onFile?.(file, before)))
      .then(() => {
        // a destroyed stream cannot be passed over, the parser would wait for it for ever
        if (content.destroyed && !content.readableEnded) throw BadRequest('The form was not read to its end.');
        content.resume();
      })
      .catch((error: Error) => this.fail(error));
  }

  /** The parser has seen the end, or was destroyed by a failure, which has told so itself. */
  private onParsed(): void {
    if (this.failed) return;
    void this.files.then(() => {
      if (this.failed) return;
      this.release();
      this.resolve(this.fields);
    });
  }

  private fail(error: Error): void {
    if (this.failed) return;
    this.failed = true;
    this.release();
    this.source.unpipe(this.parser);
    this.source.on('error', () => undefined);
    this.parser.destroy();
    for (const content of this.open) content.destroy(error);
    this.source.resume();
    void this.files.then(() => this.reject(error));
  }

  private release(): void {
    clearTimeout(this.timer);
    this.source.off('data', this.onData).off('error', this.onSourceError).off('close', this.onSourceClose);
    this.options.signal?.removeEventListener('abort', this.onAbort);
  }
}

const unreadable = (error: unknown): Error => unreadableBody(error, 'The form could not be read');

/** Browsers write quotes and line ends of file names as percent signs (HTML, "multipart/form-data encoding"). */
const plainName = (name: string): string =>
  name
    .replace(/%22/g, '"')
    .replace(/%0D%0A|%0D|%0A/gi, ' ')
    .replace(/^.*[\\/]/s, '');
