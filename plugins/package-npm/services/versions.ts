/** Versions and dist-tags, by the rules of npm's own `semver`. */
import parse from 'semver/functions/parse.js';
import validRange from 'semver/ranges/valid.js';

/** As the column holds it. */
const maxLength = 255;

/** A whole semantic version; what npm would only tidy up (`v1.0.0`) is none. */
export function isVersion(text: string): boolean {
  const version = text.length <= maxLength ? parse(text) : null;
  if (!version) return false;
  const build = version.build.length > 0 ? `+${version.build.join('.')}` : '';
  return text === version.version + build;
}

const isRange = (text: string): boolean => validRange(text, { loose: true }) !== null;

/** Would a client read the text as a version or range (`1`, `v1.0`, `1-beta`)? Then it cannot be a tag. */
export const readsAsVersion = (text: string): boolean =>
  isRange(text) || (/^v?\d/i.test(text) && isRange(text.split(/[-+]/, 1)[0]!));

export const isPreRelease = (version: string): boolean => (parse(version)?.prerelease.length ?? 0) > 0;

/** The lowest first; each version is parsed once. */
export function sortByVersion<T extends { readonly version: string }>(versions: readonly T[]): T[] {
  return versions
    .map((entry) => ({ entry, parsed: parse(entry.version) }))
    .sort(({ parsed: one }, { parsed: other }) => {
      // what no rule can compare comes first
      if (!one || !other) return Number(Boolean(one)) - Number(Boolean(other));
      return one.compare(other);
    })
    .map(({ entry }) => entry);
}
