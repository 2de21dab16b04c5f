/** Versions of gems: numbers and words between points; a word makes a pre-release. */

const pattern = /^\d{1,18}(?:\.[0-9A-Za-z]+)*$/;

export const isGemVersion = (text: string): boolean => text.length <= 100 && pattern.test(text);

export const isPrerelease = (version: string): boolean => /[A-Za-z]/.test(version);

/** `1.0.b2` is `1`, `0`, `b`, `2`; zeros before a word and at the end do not count. */
function segmentsOf(version: string): readonly string[] {
  const segments = version.match(/\d+|[A-Za-z]+/g) ?? [];
  const word = segments.findIndex((one) => /[A-Za-z]/.test(one));
  const cut = (list: readonly string[]) => {
    let end = list.length;
    while (end > 0 && /^0+$/.test(list[end - 1]!)) end--;
    return list.slice(0, end);
  };
  return word < 0 ? cut(segments) : [...cut(segments.slice(0, word)), ...cut(segments.slice(word))];
}

const number = (text: string) => text.replace(/^0+(?=\d)/, '');

/** For `sort`, lowest first, as Gem::Version compares. */
export function compareGemVersions(left: string, right: string): number {
  const [a, b] = [segmentsOf(left), segmentsOf(right)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x, y] = [number(a[at] ?? '0'), number(b[at] ?? '0')];
    if (x === y) continue;
    const [isX, isY] = [/^\d/.test(x), /^\d/.test(y)];
    if (isX !== isY) return isX ? 1 : -1;
    return (isX ? x.length - y.length : 0) || (x < y ? -1 : 1);
  }
  return 0;
}
