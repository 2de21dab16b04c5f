import { createRequire } from 'node:module';
import type { SemVer } from 'semver';

// loaded with the first version that is looked at, not at the start
const require = createRequire(import.meta.url);
const parse = (text: string) => (require('semver/functions/parse.js') as (text: string) => SemVer | null)(text);
const compare = (a: SemVer, b: SemVer) =>
  (require('semver/functions/compare.js') as (a: SemVer, b: SemVer) => -1 | 0 | 1)(a, b);

const maxLength = 200;

/** Strict: `1.0`, `v1.0.0` and ` 1.0.0` are none. */
export function parseSemver(text: string): SemVer | undefined {
  const parsed = text.length <= maxLength && /^\d/.test(text) ? parse(text) : null;
  return parsed && text === [parsed.version, ...(parsed.build.length > 0 ? [parsed.build.join('.')] : [])].join('+')
    ? parsed
    : undefined;
}

/** As tolerant clients write it (`v1`, `1.2`), in its canonical form; undefined for what is none. */
export function tidySemver(text: string): string | undefined {
  const match = text.length <= maxLength ? /^[vV=]?(\d+(?:\.\d+){0,2})([-+].*)?$/.exec(text.trim()) : null;
  if (!match) return undefined;
  const numbers = [...match[1]!.split('.').map((part) => part.replace(/^0+(?=\d)/, '')), '0', '0'].slice(0, 3);
  const tidy = `${numbers.join('.')}${match[2] ?? ''}`;
  return parseSemver(tidy) && tidy;
}

/** For `sort`, lowest first; what is no semver comes before all that is. Builds are equal. */
export function compareSemver(left: string, right: string): number {
  const [a, b] = [parseSemver(left), parseSemver(right)];
  if (!a || !b) return a ? 1 : b ? -1 : left < right ? -1 : left > right ? 1 : 0;
  return compare(a, b);
}
