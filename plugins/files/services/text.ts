/** What is known of a file by its bytes. */
import { mediaTypeOf } from '@mortise/plugin-sdk';
import { encodingOf, textTypeOf } from '@mortise/git/api';

/** Text in UTF-16 has zeros in it, and is known by its mark. */
const isUtf16 = (head: Buffer): boolean => encodingOf(head.subarray(0, 2)).startsWith('UTF-16');

/** The media type that a file is served and shown with; of text with its `charset`. */
export function fileTypeOf(name: string, head: Buffer): string {
  const type = isUtf16(head) ? 'text/plain' : mediaTypeOf(name, head);
  return type.startsWith('text/plain') ? textTypeOf(head) : type;
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
