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

/** Bytes that begin a character of UTF-8, with those that may follow the first; all others stand for themselves. */
const character =
  /[\x00-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;
/** Code points that git takes for faults too: U+FDD0 to U+FDEF, and the last two of each plane. */
const nonCharacter =
  /[\ufdd0-\ufdef\ufffe\uffff]|[\ud83f\ud87f\ud8bf\ud8ff\ud93f\ud97f\ud9bf\ud9ff\uda3f\uda7f\udabf\udaff\udb3f\udb7f\udbbf\udbff][\udffe\udfff]/;

/**
 * What `git commit` makes of bytes that are not UTF-8: each byte that belongs to no character is taken as Latin-1
 * (`verify_utf8` in git's `commit.c`).
 */
export function repairUtf8(content: Buffer): string {
  const bytes = content.toString('latin1');
  return bytes.replace(character, (run) => {
    if (run.length === 1 || run <= '\x7f') return run;
    const text = Buffer.from(run, 'latin1').toString('utf8');
    return nonCharacter.test(text) ? run : text;
  });
}

/** The message of a commit that is made anew, as `git rebase` keeps it: without blank lines before it, else to the byte. */
export function rebasedMessage(message: string): string {
  const [whole = ''] = message.split('\0', 1);
  const text = whole.replace(/^(?:[ \t\r]*\n)+/, '').replace(/^[ \t\r]+$/, '');
  // long messages are not taken apart for nothing
  return nonCharacter.test(text) ? repairUtf8(Buffer.from(text)) : text;
}
