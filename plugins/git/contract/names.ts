/** Names: kinds of repositories, ids of objects, names of references. */
import type { Text } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** A repository of code or its wiki; both are told by the numeric id of the repository. */
export type RepositoryKind = 'code' | 'wiki';
export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** The object id of "nothing" in reference updates (40 or 64 zeros are both understood). */
export const zeroOid = '0'.repeat(40);
/** Is it the id of "nothing"? */
export const isZeroOid = (oid: string): boolean => /^0+$/.test(oid);
/** A whole object id, SHA-1 or SHA-256, lower case. */
export const isOid = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Did git fail over objects that are missing or spoilt? A fault of the repository, not of the server. */
export const isCorruptObject = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'GitFailure' || error.message === 'the object reader ended');

/** Is it a name that git takes for a branch or tag (git-check-ref-format)? */
export function isRefName(name: string): boolean {
  if (!name || name === '@' || name.startsWith('-') || name.startsWith('/') || name.endsWith('/') || name.endsWith('.'))
    return false;

  if (/\.\.|@\{|\/\/|[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/**
 * Why no branch or tag may be made with this full name, which git and people would read as something else; undefined
 * when it may. Those that are there already, from elsewhere or from earlier, can still move and be deleted.
 */
export function ambiguousNameProblem(ref: string): Text | undefined {
  const [, space, name = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (!space) return undefined;
  const what = space as 'heads' | 'tags';
  if (name === 'HEAD' || name === '@') return t.later(`error.${what}.head`, { name });
  if (name.startsWith('-')) return t.later(`error.${what}.dash`);
  if (name.startsWith('refs/')) return t.later(`error.${what}.refs`);
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return t.later(`error.${what}.id`);
  return undefined;
}
