import { Readable } from 'node:stream';
import {
  BadRequest,
  Joi,
  Problem,
  TooLarge,
  formFile,
  formatSize,
  isMultipart,
  readMultipart,
  type FormFields,
} from '@mortise/plugin-sdk';
import type { Attachment, AttachmentOwner, Attachments } from './attachments.js';
import { t } from '../texts/index.js';
import { fileName, webAddress } from './file-names.js';

/** What an operation that takes a file declares: its query, and its body as a stream. */
export const uploadQuery = Joi.object<{ readonly name?: string; readonly external_url?: string }>({
  name: Joi.string().allow('').max(255).description('Name of the file; default: as the form names it'),
  external_url: Joi.string().allow('').max(2000).description('The file lies there and is not uploaded'),
});
export const uploadPayload = {
  as: 'stream',
  form: Joi.object<{ readonly attachment?: unknown }>({ attachment: formFile() }),
} as const;

interface UploadRequest {
  readonly query: { readonly name?: string; readonly external_url?: string };
  readonly payload: Readable;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly actorId: number;
}

/**
 * Takes the file of a request: as the form field `attachment`, as the body itself with `name`, or elsewhere by
 * `external_url` in the query or the form.
 */
export async function receiveUpload(
  attachments: Attachments,
  owner: AttachmentOwner,
  { query, payload, headers, actorId }: UploadRequest,
): Promise<Attachment> {
  const upload = (content: Readable, name: string) =>
    attachments.upload(owner, fileName(query.name || name), content, actorId);
  const external = (url: string, name: string | undefined) =>
    attachments.addExternal(owner, fileName(name || url.replace(/[?#].*$/s, '')), webAddress(url), actorId);
  if (query.external_url) return external(query.external_url, query.name);
  checkBody(headers, attachments.limits(owner.kind).maxBytes);
  if (!isMultipart(headers)) {
    const name = fileName(query.name ?? '');
    return readRaw(payload, (content) => upload(content, name));
  }
  const { stored, fields } = await readForm(payload, headers, 'attachment', upload, ({ id }) =>
    attachments.remove([id]),
  );
  const url = fields.get('external_url')?.[0];
  if (stored) return stored;
  if (!url) throw BadRequest('The form contains no file in the field "attachment".');
  return external(url, query.name || (fields.get('name')?.[0] ?? ''));
}

type Headers = Readonly<Record<string, string | undefined>>;

interface Upload<T> {
  readonly stored?: T;
  readonly fields: FormFields;
}

/** Files of one form; those of other fields are passed over. */
const maxFiles = 16;

/** Refuses early what says of itself that it is too large, and what is packed. */
function checkBody(headers: Headers, maxBytes: number | undefined): void {
  const length = Number(headers['content-length'] ?? 0);
  if (maxBytes !== undefined && length > maxBytes + (isMultipart(headers) ? 1 << 20 : 0))
    throw TooLarge(t.later('error.size', { size: () => formatSize(maxBytes) }));
  if (!['', 'identity'].includes(headers['content-encoding'] ?? ''))
    throw new Problem('unsupported_media_type', 'The file must be sent without a content encoding.');
}

/** Reads a raw body; a refusal in between keeps the connection open, so that the client gets the answer. */
async function readRaw<T>(source: Readable, store: (content: Readable) => Promise<T>): Promise<T> {
  const chunks = source.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    return await store(
      Readable.from({ [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }, { objectMode: false }),
    );
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ABORT_ERR'].includes(code)
      ? BadRequest('The request body ended too early.')
      : error;
  } finally {
    await chunks.return?.();
    source.resume();
  }
}

/**
 * Streams the first file of the field to `store`; fields are returned, other files skipped. When the form turns out to
 * be broken behind the file, `undo` takes it back.
 */
async function readForm<T>(
  source: Readable,
  headers: Headers,
  field: string,
  store: (content: Readable, fileName: string) => Promise<T>,
  undo: (value: T) => Promise<unknown>,
): Promise<Upload<T>> {
  let stored: { readonly value: T } | undefined;
  const reading = readMultipart(source, headers, {
    maxFiles,
    maxFieldBytes: 1 << 16,
    onFile: async (file) => {
      if (file.field === field && !stored) stored = { value: await store(file.content, file.fileName) };
    },
  });
  try {
    const fields = await reading;
    return { ...(stored ? { stored: stored.value } : {}), fields };
  } catch (error) {
    if (stored) await undo(stored.value);
    throw error;
  }
}
