/** Versions as semver 2 has them, for the formats that sort by them. */
export interface Semver {
  readonly numbers: readonly [number, number, number];
  readonly prerelease: readonly string[];
  readonly build: string;
}

const pattern =
  /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?$/;
const maxLength = 200;

/** Strict: `1.0` and `v1.0.0` are none. */
export function parseSemver(text: string): Semver | undefined {
  const found = text.length <= maxLength ? pattern.exec(text) : null;
  if (!found) return undefined;
  return {
    numbers: [Number(found[1]), Number(found[2]), Number(found[3])],
    prerelease: found[4]?.split('.') ?? [],
    build: found[5] ?? '',
  };
}

/** As tolerant clients write it (`v1`, `1.2`), in its canonical form; undefined for what is none. */
export function tidySemver(text: string): string | undefined {
  const found = text.length <= maxLength ? /^[vV=]?(\d+(?:\.\d+){0,2})([-+].*)?$/.exec(text.trim()) : null;
  if (!found) return undefined;
  const numbers = [...found[1]!.split('.').map((part) => part.replace(/^0+(?=\d)/, '')), '0', '0'].slice(0, 3);
  const tidy = `${numbers.join('.')}${found[2] ?? ''}`;
  return parseSemver(tidy) && tidy;
}

/** For `sort`, lowest first; what is no semver comes before all that is. Builds are equal. */
export function compareSemver(left: string, right: string): number {
  const [a, b] = [parseSemver(left), parseSemver(right)];
  if (!a || !b) return a ? 1 : b ? -1 : left < right ? -1 : left > right ? 1 : 0;
  for (let at = 0; at < 3; at++) if (a.numbers[at] !== b.numbers[at]) return a.numbers[at]! - b.numbers[at]!;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let at = 0; at < Math.max(a.prerelease.length, b.prerelease.length); at++) {
    const [x, y] = [a.prerelease[at], b.prerelease[at]];
    if (x === y) continue;
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [isX, isY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isX && isY) return x.length - y.length || (x < y ? -1 : 1);
    return isX !== isY ? (isX ? -1 : 1) : x < y ? -1 : 1;
  }
  return 0;
}
