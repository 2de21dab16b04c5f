import { BadRequest } from '@mortise/plugin-sdk';

/** What an address names: a recipe, one revision of it, a binary, one revision of that. */
export interface Reference {
  readonly name: string;
  readonly version: string;
  /** Both are empty or neither is. */
  readonly user: string;
  readonly channel: string;
  readonly recipeRevision?: string;
  readonly packageId?: string;
  readonly packageRevision?: string;
}

/** Where a file lies among those of a version: its composite key, taken apart. */
export interface Place {
  readonly user: string;
  readonly channel: string;
  readonly recipeRevision: string;
  /** Of a binary; the files of a recipe have none. */
  readonly packageId?: string;
  readonly packageRevision?: string;
}

const namePattern = /^[a-zA-Z0-9_][a-zA-Z0-9_+.-]{1,50}$/;
const versionPattern = /^[a-zA-Z0-9_][a-zA-Z0-9_+.-]{0,100}$/;
const revisionPattern = /^[a-zA-Z0-9]{1,51}$/;
/** What a column of the store holds. */
const maxKey = 255;

export const recipeFiles: readonly string[] = [
  'conanfile.py',
  'conanmanifest.txt',
  'conan_sources.tgz',
  'conan_export.tgz',
];
export const packageFiles: readonly string[] = ['conaninfo.txt', 'conanmanifest.txt', 'conan_package.tgz'];

/** Reads the parts of an address; `_` stands for no user and no channel. */
export function referenceOf(params: Readonly<Record<string, string>>): Reference {
  const { name = '', version = '', rrev, pid, prev } = params;
  const [user, channel] = [params.user ?? '_', params.channel ?? '_'].map((one) => (one === '_' ? '' : one));
  if (!namePattern.test(name)) throw BadRequest('The name is invalid.');
  if (!versionPattern.test(version)) throw BadRequest('The version is invalid.');
  if ((user === '') !== (channel === '')) throw BadRequest('User and channel go together.');
  for (const one of [user!, channel!])
    if (one && !namePattern.test(one)) throw BadRequest('User or channel is invalid.');
  for (const one of [rrev, pid, prev])
    if (one !== undefined && !revisionPattern.test(one)) throw BadRequest('The revision is invalid.');
  return {
    name,
    version,
    user: user!,
    channel: channel!,
    ...(rrev !== undefined && { recipeRevision: rrev }),
    ...(pid !== undefined && { packageId: pid }),
    ...(prev !== undefined && { packageRevision: prev }),
  };
}

/** `user/channel#recipe revision`, and `:package#revision` of a binary. */
export function compositeKeyOf({ user, channel, recipeRevision, packageId, packageRevision }: Reference): string {
  const key = `${user}/${channel}#${recipeRevision}${packageId === undefined ? '' : `:${packageId}#${packageRevision}`}`;
  if (key.length > maxKey) throw BadRequest('The reference is too long.');
  return key;
}

export function placeOf(key: string): Place | undefined {
  const match = /^([^/]*)\/([^#]*)#([^:]*)(?::([^#]*)#(.*))?$/.exec(key);
  if (!match) return undefined;
  const [, user, channel, recipeRevision, packageId, packageRevision] = match;
  return {
    user: user!,
    channel: channel!,
    recipeRevision: recipeRevision!,
    ...(packageId !== undefined && { packageId, packageRevision: packageRevision! }),
  };
}

/** `tool/1.0@user/channel`, `tool/1.0` without both. */
export const textOf = (name: string, version: string, { user, channel }: Pick<Place, 'user' | 'channel'>): string =>
  `${name}/${version}${user ? `@${user}/${channel}` : ''}`;

/** Does a pattern with `*` and `?` fit the whole text? In time that grows with both lengths alone. */
export function fits(pattern: string, text: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  let p = 0;
  while (at < text.length) {
    if (p < pattern.length && (pattern[p] === '?' || (pattern[p] === text[at] && pattern[p] !== '*'))) {
      p++;
      at++;
    } else if (pattern[p] === '*') {
      star = p++;
      mark = at;
    } else if (star >= 0) {
      p = star + 1;
      at = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
