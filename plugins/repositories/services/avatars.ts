import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type BackupRows,
  Invalid,
  type NamedBlob,
  NotFound,
  TooLarge,
  formatSize,
  readPicture,
  type StorageArea,
  type UploadedFile,
  pictureBytes,
} from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** A small mosaic drawn from the key alone. */
function draw(key: string): string {
  const bytes = createHash('sha256').update(key).digest();
  const hue = Math.round((bytes[0]! * 360) / 256);
  const fields = [...Array(16).keys()].map((index) => {
    const light = 45 + (bytes[index + 1]! % 40);
    return `<path fill="hsl(${hue},45%,${light}%)" d="M${(index % 4) * 16} ${(index >> 2) * 16}h16v16h-16z"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">${fields.join('')}</svg>`;
}

/** What a back-up must hold for the rows of its moment. */
export async function* namedBlobs(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [avatar] of rows.rows('repository', ['avatar']))
    if (isStored(String(avatar))) yield { area: 'repo-avatars', key: String(avatar), sha256: String(avatar) };
}

/** Other keys are those of drawn pictures. */
const isStored = (key: string) => /^[0-9a-f]{64}$/.test(key);

/** Pictures of repositories, stored by their content. */
export class RepositoryAvatars {
  constructor(
    private readonly area: () => StorageArea,
    readonly maxBytes: number,
    private readonly maxPixels: { readonly width: number; readonly height: number },
  ) {}

  /** Stores a picture and gives its key. */
  async store(data: Buffer): Promise<string> {
    if (data.length > this.maxBytes)
      throw TooLarge(t.later('error.avatarSize', { size: () => formatSize(this.maxBytes) }));
    const picture = readPicture(data);
    if (!picture) throw Invalid(t.later('error.avatarKind'));
    // Few bytes can be very many pixels, which everybody's browser would have to draw.
    const { width, height } = this.maxPixels;
    if (picture.width > width || picture.height > height)
      throw Invalid(t.later('error.avatarPixels', { width, height }));
    const key = createHash('sha256').update(data).digest('hex');
    await this.area().put(key, data, { maxBytes: this.maxBytes });
    return key;
  }

  async storeBase64(text: string): Promise<string> {
    return this.store(pictureBytes(text));
  }

  /** The file of a form. */
  async storeUpload(file: unknown): Promise<string> {
    if (!(file instanceof Readable) || (file as UploadedFile).size === 0) throw Invalid(t.later('error.file'));
    if ((file as UploadedFile).size > this.maxBytes)
      throw TooLarge(t.later('error.avatarSize', { size: () => formatSize(this.maxBytes) }));
    const chunks: Buffer[] = [];
    for await (const chunk of file) chunks.push(chunk as Buffer);
    return this.store(Buffer.concat(chunks));
  }

  async read(key: string): Promise<{ body: Buffer; type: string }> {
    if (/^r\d+$/.test(key)) return { body: Buffer.from(draw(key)), type: 'image/svg+xml' };
    if (!isStored(key)) throw NotFound('picture');
    const { stream } = await this.area().get(key);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    return { body, type: readPicture(body)?.type ?? 'application/octet-stream' };
  }
}
