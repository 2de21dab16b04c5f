import { Readable } from 'node:stream';
import { Invalid, TooLarge, type UploadedFile } from '@mortise/plugin-sdk';

/** The bytes of a file field of a form. */
export async function readUpload(file: unknown, maxBytes: number): Promise<Buffer> {
  if (!(file instanceof Readable) || (file as UploadedFile).size === 0) throw Invalid('Choose a file.');
  if ((file as UploadedFile).size > maxBytes) throw TooLarge(`The file may have ${maxBytes} bytes.`);
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
