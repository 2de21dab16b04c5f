import { Readable } from 'node:stream';
import { formatSize, Invalid, TooLarge, type UploadedFile } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** The bytes of a file field of a form. */
export async function readUpload(file: unknown, maxBytes: number): Promise<Buffer> {
  if (!(file instanceof Readable) || (file as UploadedFile).size === 0) throw Invalid(t.later('error.fileMissing'));
  if ((file as UploadedFile).size > maxBytes)
    throw TooLarge(t.later('error.fileSize', { size: () => formatSize(maxBytes) }));
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
