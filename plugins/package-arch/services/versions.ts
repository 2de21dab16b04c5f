/** Versions as pacman compares them: epoch, version, and the release where both have one. */

interface SplitVersion {
  readonly epoch: string;
  readonly version: string;
  readonly release?: string;
}

function splitVersion(text: string): SplitVersion {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(text) ?? [];
  const hyphen = rest.lastIndexOf('-');
  if (hyphen < 0) return { epoch, version: rest };
  return { epoch, version: rest.slice(0, hyphen), release: rest.slice(hyphen + 1) };
}

const separators = /[^A-Za-z0-9]*/y;
const digits = /[0-9]+/y;
const letters = /[A-Za-z]+/y;

function take(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Numbers and words one after the other; a longer separator is newer, and so is a number against a word. */
function compareSegments(left: string, right: string): number {
  let [a, b] = [0, 0];
  while (a < left.length && b < right.length) {
    const [x, y] = [take(separators, left, a), take(separators, right, b)];
    [a, b] = [a + x.length, b + y.length];
    if (a >= left.length || b >= right.length) break;
    if (x.length !== y.length) return x.length - y.length;
    const isNumber = /[0-9]/.test(left[a]!);
    const kind = isNumber ? digits : letters;
    const [one, other] = [take(kind, left, a), take(kind, right, b)];
    if (other === '') return isNumber ? 1 : -1;
    [a, b] = [a + one.length, b + other.length];
    const compared = isNumber ? compareNumbers(one, other) : one < other ? -1 : one > other ? 1 : 0;
    if (compared !== 0) return compared;
  }
  const [restA, restB] = [left.slice(a), right.slice(b)];
  if (restA === '' && restB === '') return 0;
  // a word that remains is older than nothing: 1.0rc1 comes before 1.0
  if (/^[A-Za-z]/.test(restA)) return -1;
  return restA === '' && !/^[A-Za-z]/.test(restB) ? -1 : 1;
}

function compareNumbers(left: string, right: string): number {
  const [a, b] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')];
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** For `sort`, the older first. */
export function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [splitVersion(left), splitVersion(right)];
  const compared = compareSegments(a.epoch, b.epoch) || compareSegments(a.version, b.version);
  if (compared !== 0 || a.release === undefined || b.release === undefined) return compared;
  return compareSegments(a.release, b.release);
}
