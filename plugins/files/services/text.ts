/** Bytes as text, in the encoding that they seem to have. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';
}

/** UTF-16 is told by its mark at the beginning, UTF-8 by being valid; what is left is taken for Windows-1252. */
export function decodeText(bytes: Buffer): DecodedText {
  const decode = (label: string) => new TextDecoder(label).decode(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: decode('utf-16le'), encoding: 'UTF-16LE' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: decode('utf-16be'), encoding: 'UTF-16BE' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: decode('windows-1252'), encoding: 'Windows-1252' };
  }
}

/** Characters that turn the direction of writing, so that code reads otherwise than it runs (CVE-2021-42574). */
export const hasHiddenDirections = (text: string): boolean => /[\u202a-\u202e\u2066-\u2069]/.test(text);

/** The last counts also where it has no line feed. */
export function lineCountOf(text: string): number {
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const maxLineLength = 5_000;
export const maxLines = 20_000;

/** Cuts what no browser shows well: endless lines, and more lines than anybody reads. */
export function bounded(text: string): { text: string; lines: number; isCut: boolean } {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const isLong = text.length > maxLineLength && all.some((line) => line.length > maxLineLength);
  const isCut = isLong || all.length > maxLines;
  if (!isCut) return { text, lines: all.length, isCut };
  const shown = all
    .slice(0, maxLines)
    .map((line) =>
      line.length > maxLineLength
        ? `${line.slice(0, maxLineLength)}… ${line.length - maxLineLength} more characters`
        : line,
    );
  return { text: shown.join('\n'), lines: all.length, isCut };
}
