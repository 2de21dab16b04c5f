// How long each file took last time on this machine: the longest begin first, so that none runs alone at the end.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const path = 'test/.cache/times.json';

function read() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

const known = read();
/** Files that never ran here are taken for as slow as files of their size are. */
const bytesPerSecond = 1500;

export const secondsOf = ({ file, engine }, size) => known[`${file} ${engine}`] ?? size / bytesPerSecond;

export function noteSeconds({ file, engine }, seconds) {
  known[`${file} ${engine}`] = Math.round(seconds * 10) / 10;
}

export function keepTimes() {
  mkdirSync('test/.cache', { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(known, null, 1)}\n`);
  renameSync(`${path}.new`, path);
}
