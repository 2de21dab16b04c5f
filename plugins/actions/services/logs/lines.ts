import type { LogLine, ReportedLogRow } from '../../contract/logs.js';

/** Bytes of one line's content. */
const maxContent = 64 * 1024;
/** `2026-07-01T10:00:00.0000000Z `. */
const stampLength = 29;
/** The last second whose year has four digits. */
const lastSecond = 253_402_300_799;

/** A stored line: the time with seven digits of fractions, a space, the content, a line end. */
export function lineOf({ time, content }: ReportedLogRow): Buffer {
  const text = content.toWellFormed().replaceAll('\n', '\\n');
  const bytes = Buffer.from(text);
  const cutBytes = bytes.length > maxContent ? cut(bytes) : bytes;
  return Buffer.concat([Buffer.from(`${stampOf(time)} `), cutBytes, Buffer.from('\n')]);
}

/** Ends before a character that would be cut in two. */
function cut(bytes: Buffer): Buffer {
  let end = maxContent;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

function stampOf(time: ReportedLogRow['time']): string {
  const seconds = Math.min(Math.max(Number(time?.seconds ?? 0), 0), lastSecond);
  const nanos = Math.min(Math.max(time?.nanos ?? 0, 0), 999_999_999);
  const whole = new Date(Math.trunc(seconds) * 1000).toISOString().slice(0, 19);
  return `${whole}.${String(Math.floor(nanos / 100)).padStart(7, '0')}Z`;
}

/** Reads lines back; `first` is the index of the first one. */
export function* linesOf(text: Buffer, first: number): Generator<LogLine & { readonly bytes: number }> {
  let index = first;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf(10, at);
    const end = found < 0 ? text.length : found;
    const stamp = text.toString('latin1', at, at + stampLength - 1);
    yield {
      index: index++,
      timestamp: Date.parse(`${stamp.slice(0, 19)}Z`) / 1000 + Number(`0${stamp.slice(19, 27)}`),
      message: text.toString('utf8', Math.min(at + stampLength, end), end),
      bytes: end - at,
    };
    at = end + 1;
  }
}
