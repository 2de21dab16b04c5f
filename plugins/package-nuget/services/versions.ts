/** Versions as NuGet has them: up to four numbers, and what semver 2 says of pre-releases and builds. */

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = new RegExp(`^\\d{1,9}(?:\\.\\d{1,9}){0,3}(?:-${identifiers})?(?:\\+${identifiers})?$`);
const maxLength = 100;

/** `1.0` is `1.0.0`; a fourth number stays where it is not 0; the build goes. Undefined for what is none. */
export function normalizedVersion(text: string): string | undefined {
  const given = text.trim();
  if (given.length > maxLength || !pattern.test(given)) return undefined;
  const [, numbers = '', prerelease = ''] = /^([\d.]+)(-[^+]+)?/.exec(given)!;
  const parts = [...numbers.split('.').map((one) => one.replace(/^0+(?=\d)/, '')), '0', '0', '0'].slice(
    0,
    Math.max(3, numbers.split('.').length),
  );
  if (parts[3] === '0') parts.pop();
  return parts.join('.') + prerelease;
}

export const isPrerelease = (version: string): boolean => version.includes('-');

/** Older clients do not understand builds, and pre-releases in several parts. */
export const isSemver2 = (version: string): boolean => /-[^+]*\.|\+/.test(version);

/** For `sort`, lowest first; normalized versions. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((one) => {
    const at = one.indexOf('-');
    return at < 0
      ? { numbers: one.split('.'), words: [] }
      : { numbers: one.slice(0, at).split('.'), words: one.slice(at + 1).split('.') };
  });
  for (let at = 0; at < 4; at++) {
    const difference = Number(a!.numbers[at] ?? 0) - Number(b!.numbers[at] ?? 0);
    if (difference) return difference;
  }
  if (a!.words.length === 0 || b!.words.length === 0) return b!.words.length - a!.words.length;
  for (let at = 0; at < Math.max(a!.words.length, b!.words.length); at++) {
    const [x, y] = [a!.words[at]?.toLowerCase(), b!.words[at]?.toLowerCase()];
    if (x === y) continue;
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [isX, isY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isX && isY) {
      const difference = x.replace(/^0+/, '').length - y.replace(/^0+/, '').length || Number(x) - Number(y);
      if (difference) return difference;
      continue;
    }
    return isX !== isY ? (isX ? -1 : 1) : x < y ? -1 : 1;
  }
  return 0;
}
