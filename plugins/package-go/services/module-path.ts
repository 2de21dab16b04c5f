import { BadRequest } from '@mortise/plugin-sdk';
import { compareSemver, parseSemver } from '@mortise/packages/api';

/** In addresses capitals are `!` and the small letter, for file systems that do not tell them apart. */
export function decodeName(text: string): string | undefined {
  if (/[A-Z]|!(?![a-z])/.test(text)) return undefined;
  return text.replace(/!([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

const element = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;

/** What may stand behind the `+` of a version: nothing, or `incompatible`. */
export const isGoBuild = (build: readonly string[]): boolean => ['', 'incompatible'].includes(build.join('.'));

/** Canonical: `v1.2.3`, with a pre-release or `+incompatible`; `v1` and build data are none. */
export function checkVersion(name: string, version: string, hasGoMod: boolean): void {
  const parsed = version.startsWith('v') ? parseSemver(version.slice(1)) : undefined;
  if (!parsed || !isGoBuild(parsed.build)) throw BadRequest('package version is invalid');
  const { major } = parsed;
  const gopkg = /^gopkg\.in\/.*\.v(\d+)$/.exec(name)?.[1];
  const suffix = gopkg ?? /\/v([1-9]\d*)$/.exec(name)?.[1];
  const wanted = gopkg === undefined && major < 2 ? undefined : String(major);
  const isIncompatible = parsed.build.length > 0;
  if (isIncompatible ? suffix !== undefined || hasGoMod || major < 2 : suffix !== wanted)
    throw BadRequest(`the version ${version} does not fit the module path ${name}`);
}

export function checkName(name: string): void {
  const elements = name.split('/');
  const isPath = elements.every((one) => element.test(one) && !one.endsWith('.'));
  if (!isPath || name.length > 255 || !elements[0]!.includes('.') || elements[0]!.startsWith('-'))
    throw BadRequest('the module path is invalid');
}

/** The highest release, or where there is none the highest pre-release. */
export function latestOf(versions: readonly string[]): string | undefined {
  const sorted = [...versions].sort((a, b) => compareSemver(a.slice(1), b.slice(1)));
  return sorted.filter((one) => !one.includes('-')).at(-1) ?? sorted.at(-1);
}
