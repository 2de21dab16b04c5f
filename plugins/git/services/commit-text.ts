/** How the bytes of commits and tags become text, and which text git writes when it makes a commit anew. */
import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';

/** `tree ` or `object `, and an id. */
const idLength = 45;
/** Encodings such as UTF-7 write line feeds and brackets with other ASCII: a name could forge headers. */
const shifted = '+AAo- &AAo- +0100';

const require = createRequire(import.meta.url);
/** Loaded with the first commit that needs it: few do. */
const library = () => require('iconv-lite') as typeof import('iconv-lite');

/** The text of a commit or tag: by its `encoding` header, else as UTF-8, and what is neither as {@link repairUtf8} does. */
export function decodeObject(content: Buffer): string {
  const head = content.subarray(0, Math.max(0, content.indexOf('\n\n'))).toString('latin1');
  const encoding = /^encoding (.+)$/m.exec(head)?.[1]?.trim();
  const decoded = encoding && !/^utf-?8$/i.test(encoding) ? decodeAs(encoding, content) : undefined;
  return decoded ?? (isUtf8(content) ? content.toString('utf8') : repairUtf8(content));
}

/** Undefined where the encoding is unknown, or the bytes are not of it: git takes them as they are then. */
function decodeAs(encoding: string, content: Buffer): string | undefined {
  const { decode, encodingExists } = library();
  try {
    // the library has no ISO-2022, and the platform reads Windows-1252 as Latin-1
    const read = (bytes: Buffer) =>
      encodingExists(encoding) ? decode(bytes, encoding) : new TextDecoder(encoding).decode(bytes);
    if (read(Buffer.from(shifted)) !== shifted) return undefined;
    const text = read(content);
    // ids come first: an encoding that reads them as something else is none of text
    const ids = content.toString('latin1', 0, idLength);
    return text.includes('\ufffd') || !text.startsWith(ids) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Code points that git takes for faults too: U+FDD0 to U+FDEF, and the last two of each plane. */
const nonCharacter =
  /[\ufdd0-\ufdef\ufffe\uffff]|[\ud83f\ud87f\ud8bf\ud8ff\ud93f\ud97f\ud9bf\ud9ff\uda3f\uda7f\udabf\udaff\udb3f\udb7f\udbbf\udbff][\udffe\udfff]/;

/**
 * What `git commit` makes of bytes that are not UTF-8: each byte that belongs to no character is taken as Latin-1
 * (`verify_utf8` in git's `commit.c`).
 */
export function repairUtf8(content: Buffer): string {
  // byte by byte: a message may have megabytes, and a call for each character would hold the event loop for seconds
  const repaired = Buffer.allocUnsafe(content.length * 2);
  let length = 0;
  for (let at = 0; at < content.length;) {
    const size = characterSize(content, at);
    if (size === 0) {
      const byte = content[at++]!;
      repaired[length++] = 0xc0 | (byte >> 6);
      repaired[length++] = 0x80 | (byte & 0x3f);
    }
    for (const end = at + size; at < end; at++) repaired[length++] = content[at]!;
  }
  return repaired.toString('utf8', 0, length);
}

/** Bytes of the character of UTF-8 that begins there; 0: none does, or one that git takes for a fault. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return 0;
  let point = first & (0x7f >> size);
  for (let next = at + 1; next < at + size; next++) {
    if ((bytes[next]! & 0xc0) !== 0x80) return 0;
    point = (point << 6) | (bytes[next]! & 0x3f);
  }
  const smallest = size === 2 ? 0x80 : size === 3 ? 0x800 : 0x10000;
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  const isNonCharacter = (point & 0xfffe) === 0xfffe || (point >= 0xfdd0 && point <= 0xfdef);
  return point < smallest || point > 0x10ffff || isSurrogate || isNonCharacter ? 0 : size;
}

/** The message of a commit that is made anew, as `git rebase` keeps it: without blank lines before it, else to the byte. */
export function rebasedMessage(message: string): string {
  const [whole = ''] = message.split('\0', 1);
  const text = whole.replace(/^(?:[ \t\r]*\n)+/, '').replace(/^[ \t\r]+$/, '');
  // long messages are not taken apart for nothing
  return nonCharacter.test(text) ? repairUtf8(Buffer.from(text)) : text;
}
