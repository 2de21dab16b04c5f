/**
 * The one place that decides how bytes of files become text: for pages of files, differences, blame, searches, and the
 * `charset` that raw files are served with.
 */
import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** What is used of `jschardet`: its guesses, the likeliest first. */
interface Detector {
  detectAll(
    bytes: Buffer,
    options: { readonly detectEncodings: readonly string[]; readonly minimumThreshold: number },
  ): readonly { readonly encoding: string | null }[];
}
/** Both libraries are loaded with the first text that is not UTF-8. */
const detector = () => require('jschardet') as Detector;
const converter = () => require('iconv-lite') as typeof import('iconv-lite');

/** Names of encodings by what the detector calls them; those of the Latin alphabet are all taken for Windows-1252. */
const detected = {
  'Windows-1252': 'Windows-1252',
  CP932: 'Shift_JIS',
  'EUC-JP': 'EUC-JP',
  GB18030: 'GB18030',
  Big5: 'Big5',
  CP949: 'EUC-KR',
  'KOI8-R': 'KOI8-R',
  'Windows-1251': 'Windows-1251',
  'Windows-1253': 'Windows-1253',
  'Windows-1255': 'Windows-1255',
  'Windows-1256': 'Windows-1256',
} as const;

/** As browsers name them in `charset` (whatwg.org, Encoding), whatever the case of letters. */
export type TextEncoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | (typeof detected)[keyof typeof detected];

interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Bytes of lines with other signs than ASCII that are looked at. */
const maxSample = 4096;
const maxSampledLine = 512;

/** UTF-16 is told by its mark at the beginning, UTF-8 by being valid; the rest by what its signs are likely to mean. */
export function encodingOf(bytes: Buffer): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'UTF-16LE';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'UTF-16BE';
  if (isUtf8(bytes)) return 'UTF-8';
  const sample = sampleOf(bytes);
  const detectEncodings = Object.keys(detected);
  const candidates = detector().detectAll(sample, { detectEncodings, minimumThreshold: 0 });
  for (const { encoding } of candidates) {
    const name = detected[encoding as keyof typeof detected];
    if (name && isLikely(converter().decode(sample, name))) return name;
  }
  return 'Windows-1252';
}

export function decodeText(bytes: Buffer, encoding: TextEncoding = encodingOf(bytes)): DecodedText {
  // the platform's own Windows-1252 reads the bytes from 0x80 on as control characters
  const isUnicode = encoding.startsWith('UTF-');
  const text = isUnicode ? new TextDecoder(encoding).decode(bytes) : converter().decode(bytes, encoding);
  return { text, encoding };
}

/** What a file of text is served as; of a longer file `head` may be the beginning. */
export const textTypeOf = (head: Buffer): string => `text/plain; charset=${encodingOf(wholeLines(head)).toLowerCase()}`;

/** Up to the last line feed, so that no character is cut. */
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10);
  return end < 0 || isUtf8(bytes) ? bytes : bytes.subarray(0, end + 1);
}

/** Lines with bytes beyond ASCII, which alone tell encodings apart. */
function sampleOf(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  let size = 0;
  for (let from = 0; from < bytes.length && size < maxSample;) {
    const feed = bytes.indexOf(10, from);
    const end = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.subarray(from, end);
    const first = line.findIndex((byte) => byte > 0x7f);
    if (first >= 0) {
      const start = first > maxSampledLine / 2 ? first : 0;
      lines.push(line.subarray(start, start + maxSampledLine));
      size += lines.at(-1)!.length;
    }
    from = end;
  }
  return Buffer.concat(lines);
}

/** Nobody writes one word in the letters of two alphabets: `dйjа` is `déjà` read wrongly. */
const mixedWord =
  /[A-Za-z](?=[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}])|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}](?=[A-Za-z])/u;
/** A character that was cut at the end of the sample does not count. */
const isLikely = (text: string): boolean => !text.slice(0, -1).includes('\ufffd') && !mixedWord.test(text);

/**
 * The text of a unified diff, whose files have encodings of their own, and may have changed them: removed lines are read
 * as the file was before, all others as it is now. `encodingOfBlob` is asked for files whose lines are not UTF-8.
 */
export async function decodePatch(
  patch: Buffer,
  encodingOfBlob: (oid: string) => Promise<TextEncoding | undefined>,
): Promise<string> {
  if (isUtf8(patch)) return patch.toString('utf8');
  const files: string[] = [];
  for (const part of patch.toString('latin1').split(/(?<=\n)(?=diff --git )/)) {
    const bytes = Buffer.from(part, 'latin1');
    files.push(isUtf8(bytes) ? bytes.toString('utf8') : await decodeFilePatch(part, bytes, encodingOfBlob));
  }
  return files.join('');
}

/** `part`: its bytes, one a character. */
async function decodeFilePatch(
  part: string,
  bytes: Buffer,
  encodingOfBlob: (oid: string) => Promise<TextEncoding | undefined>,
): Promise<string> {
  const [, before = '', after = ''] = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/m.exec(part) ?? [];
  const encoding = async (oid: string) => (/^0*$/.test(oid) ? undefined : encodingOfBlob(oid));
  const [old, current] = await Promise.all([encoding(before), encoding(after)]);
  const fallback = old ?? current ?? encodingOf(bytes);
  let isContent = false;
  const lines = part.split('\n').map((line) => {
    isContent ||= line.startsWith('@@ ');
    const isOld = line.startsWith('-') || line.startsWith('@@ ');
    const name = isContent ? ((isOld ? old : current) ?? fallback) : 'UTF-8';
    const content = Buffer.from(line, 'latin1');
    return name === 'UTF-8' ? content.toString('utf8') : decodeText(content, name).text;
  });
  return lines.join('\n');
}
