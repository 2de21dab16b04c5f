import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogFrame, LogSegmentRow } from '../../models/log-segment.js';

/** Bytes of plain text that are packed together, and have to be unpacked for one line of them. */
const frameSize = 128 * 1024;

let library: Promise<import('@hpcc-js/wasm-zstd').Zstd> | undefined;
/** Loaded with the first log that is packed. */
const zstd = () => (library ??= import('@hpcc-js/wasm-zstd').then(({ Zstd }) => Zstd.load()));

interface CompressedText {
  readonly content: Buffer;
  readonly frames: readonly LogFrame[];
}

/** Packs whole lines into frames; others are answered between two of them. */
export async function compress(
  text: Buffer,
  firstLine: number,
  packing: LogSegmentRow['packing'],
): Promise<CompressedText> {
  const library = packing === 'zstd' ? await zstd() : undefined;
  const frames: LogFrame[] = [];
  const parts: Buffer[] = [];
  let line = firstLine;
  let stored = 0;
  for (let at = 0; at < text.length;) {
    const end = endOfFrame(text, at);
    const plain = text.subarray(at, end);
    frames.push([line, at, stored]);
    const part = library ? Buffer.from(library.compress(plain)) : plain;
    parts.push(part);
    stored += part.length;
    for (let found = plain.indexOf(10); found >= 0; found = plain.indexOf(10, found + 1)) line++;
    at = end;
    await nextTurn();
  }
  return { content: Buffer.concat(parts), frames };
}

function endOfFrame(text: Buffer, start: number): number {
  if (start + frameSize >= text.length) return text.length;
  const end = text.indexOf(10, start + frameSize);
  return end < 0 ? text.length : end + 1;
}

/** One frame; others are answered before the next. */
export async function decompress(stored: Buffer, packing: LogSegmentRow['packing']): Promise<Buffer> {
  if (packing === 'none') return stored;
  const { decompress } = await import('fzstd');
  await nextTurn();
  const plain = decompress(stored);
  return Buffer.from(plain.buffer, plain.byteOffset, plain.length);
}

/** The frame that holds a line. */
export function frameOf(frames: readonly LogFrame[], line: number): number {
  let [low, high] = [0, frames.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frames[middle]![0] <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}
