import { createHash } from 'node:crypto';
import {
  type BackupRows,
  BadRequest,
  type Database,
  formatSize,
  type NamedBlob,
  readPicture,
  type StorageArea,
  TooLarge,
} from '@mortise/plugin-sdk';
import { AccountRow } from '../models/account.js';
import { readUpload } from './read-upload.js';
import { t } from '../texts/index.js';

/** A five by five pattern, mirrored, in a colour of its own: drawn from the key alone, so nothing is stored. */
function drawAvatar(key: string): string {
  const bytes = createHash('sha256').update(key).digest();
  const hue = Math.round((bytes[0]! * 360) / 256);
  const squares: string[] = [];
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 3; column++) {
      if ((bytes[1 + row * 3 + column]! & 1) === 0) continue;
      for (const x of column === 2 ? [2] : [column, 4 - column])
        squares.push(`M${x * 10 + 5} ${row * 10 + 5}h10v10h-10z`);
    }
  }
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60" viewBox="0 0 60 60">' +
    `<rect width="60" height="60" fill="hsl(${hue},25%,92%)"/>` +
    `<path fill="hsl(${hue},55%,48%)" d="${squares.join('')}"/></svg>`
  );
}

/** What a back-up must hold for the rows of its moment. */
export async function* namedBlobs(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [avatar] of rows.rows('account', ['avatar']))
    if (isStored(String(avatar))) yield { area: 'avatars', key: String(avatar), sha256: String(avatar) };
}

/** Other keys are those of drawn pictures. */
const isStored = (key: string) => /^[0-9a-f]{64}$/.test(key);

export class Avatars {
  constructor(
    private readonly database: Database,
    private readonly area: () => StorageArea,
    readonly maxBytes: number,
    private readonly maxPixels: { readonly width: number; readonly height: number },
  ) {}

  async upload(userId: number, data: Buffer): Promise<void> {
    if (data.length > this.maxBytes)
      throw TooLarge(t.later('error.avatarSize', { size: () => formatSize(this.maxBytes) }));
    const picture = readPicture(data);
    if (!picture) throw BadRequest(t.later('error.avatarKind'));
    // Few bytes can be very many pixels, which everybody's browser would have to draw.
    const { width, height } = this.maxPixels;
    if (picture.width > width || picture.height > height)
      throw BadRequest(t.later('error.avatarPixels', { width, height }));
    const key = createHash('sha256').update(data).digest('hex');
    await this.area().put(key, data, { maxBytes: this.maxBytes });
    await this.#set(userId, key);
  }

  async uploadFile(userId: number, file: unknown): Promise<void> {
    await this.upload(userId, await readUpload(file, this.maxBytes));
  }

  /** Back to the drawn picture. The file stays while other accounts may share it. */
  async remove(userId: number): Promise<void> {
    await this.#set(userId, '');
  }

  async read(key: string): Promise<{ body: Buffer; type: string }> {
    if (!isStored(key)) return { body: Buffer.from(drawAvatar(key)), type: 'image/svg+xml' };
    const { stream } = await this.area().get(key);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    return { body, type: readPicture(body)?.type ?? 'application/octet-stream' };
  }

  #set(userId: number, key: string): Promise<unknown> {
    return this.database.write(async () =>
      this.database.query(AccountRow).findById(userId).patch({ avatar: key, updated_at: Date.now() }),
    );
  }
}
