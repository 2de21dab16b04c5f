import { BadRequest } from './errors.js';

export interface Picture {
  readonly type: 'image/png' | 'image/gif' | 'image/jpeg' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The bytes of a picture as the REST surface takes it: in base64, blanks and line ends among it. Throws BadRequest. */
export function pictureBytes(base64: string): Buffer {
  const packed = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) throw BadRequest('The image must be encoded in Base64.');
  return Buffer.from(packed, 'base64');
}

/** What a picture says of itself in its first bytes; undefined when it is none of a kind that browsers show. */
export function readPicture(data: Buffer): Picture | undefined {
  try {
    const picture = readPng(data) ?? readGif(data) ?? readJpeg(data) ?? readWebp(data);
    return picture && picture.width > 0 && picture.height > 0 ? picture : undefined;
  } catch (error) {
    // It ends before it has told its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const at = (data: Buffer, offset: number, text: string) =>
  data.toString('latin1', offset, offset + text.length) === text;

function readPng(data: Buffer): Picture | undefined {
  if (!at(data, 0, '\x89PNG\r\n\x1a\n') || !at(data, 12, 'IHDR')) return undefined;
  return { type: 'image/png', width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

function readGif(data: Buffer): Picture | undefined {
  if (!at(data, 0, 'GIF87a') && !at(data, 0, 'GIF89a')) return undefined;
  return { type: 'image/gif', width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
}

/** Walks over the segments to the one that begins a frame (ITU T.81, B.2). */
function readJpeg(data: Buffer): Picture | undefined {
  if (!at(data, 0, '\xff\xd8\xff')) return undefined;
  for (let offset = 2; ;) {
    if (data.readUInt8(offset) !== 0xff) return undefined;
    const marker = data.readUInt8(offset + 1);
    if (marker === 0xff) offset += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { type: 'image/jpeg', width: data.readUInt16BE(offset + 7), height: data.readUInt16BE(offset + 5) };
    else offset += 2 + data.readUInt16BE(offset + 2);
  }
}

/** The three forms of WebP (RFC 9649). */
function readWebp(data: Buffer): Picture | undefined {
  if (!at(data, 0, 'RIFF') || !at(data, 8, 'WEBP')) return undefined;
  const type = 'image/webp';
  if (at(data, 12, 'VP8X')) return { type, width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
  if (at(data, 12, 'VP8 '))
    return { type, width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  if (!at(data, 12, 'VP8L')) return undefined;
  const bits = data.readUInt32LE(21);
  return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
