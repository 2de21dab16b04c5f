// How long each file took last time on this machine: the longest begin first, so that none runs alone at the end.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { saidSeconds, sizeOf, tierOf } from './files.mjs';

const path = 'test/.cache/times.json';

function read() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

const known = read();
/** Files that never ran here are taken for as slow as others of their size are. */
const bytesPerSecond = { unit: 1500, plugin: 1500, system: 250 };

export const secondsOf = ({ file, engine }) =>
  known[`${file} ${engine}`] ?? saidSeconds(file) ?? sizeOf(file) / bytesPerSecond[tierOf(file)];

export function noteSeconds({ file, engine }, seconds) {
  known[`${file} ${engine}`] = Math.round(seconds * 10) / 10;
}

export function keepTimes() {
  mkdirSync('test/.cache', { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(known, null, 1)}\n`);
  renameSync(`${path}.new`, path);
}
