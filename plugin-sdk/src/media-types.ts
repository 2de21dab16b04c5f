/** Beginnings of files that browsers may show as what they are. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^BM[^]{12}/, 'image/bmp'],
  [/^\x00\x00\x01\x00/, 'image/x-icon'],
  [/^%PDF-/, 'application/pdf'],
  [/^[^]{4}ftypavif/, 'image/avif'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^OggS/, 'application/ogg'],
  [/^(ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
];

/** Is it text, as git tells it: no NUL in the beginning? */
export const isText = (head: Buffer): boolean => !head.subarray(0, 8000).includes(0) && !looksCut(head);

/** Bytes that cannot be text in any usual encoding, such as a lone 0xff or 0xfe of a short binary file. */
const looksCut = (head: Buffer): boolean => {
  const start = head.subarray(0, 1024);
  let odd = 0;
  for (const byte of start) if (byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) odd++;
  return odd > start.length / 10;
};

/** Media type by content, never one that a browser runs: pages, scripts and styles are plain text. */
export function mediaTypeOf(name: string, head: Buffer): string {
  const start = head.subarray(0, 64).toString('latin1');
  const known = signatures.find(([pattern]) => pattern.test(start));
  if (known) return known[1];
  if (/\.svg$/i.test(name) && isText(head)) return 'image/svg+xml';
  return head.length === 0 || (isText(head) && !/^PK\x03\x04/.test(start))
    ? 'text/plain; charset=utf-8'
    : 'application/octet-stream';
}
