import { Conflict, Invalid } from '@mortise/plugin-sdk';
import { isRefName, type Ref } from '@mortise/git/api';
import { t } from '../texts/index.js';

/** Refuses what git, or a reader of addresses, would take for something else than a name. */
export function plainName(wanted: string): void {
  if (!isRefName(wanted) || wanted.startsWith('refs/') || wanted === 'HEAD' || wanted.length > 255)
    throw Invalid(`"${wanted.slice(0, 100)}" is not a valid reference name.`, {
      text: wanted ? t.later('error.badName', { name: wanted.slice(0, 100) }) : t.later('error.noName'),
    });
}

/** A name below an existing one (`a/b` beside `a`) cannot be stored by git. */
export function checkFree(refs: readonly Ref[], wanted: string): void {
  if (refs.some((ref) => ref.name === wanted))
    throw Conflict(`${wanted} already exists.`, { text: t.later('error.exists', { name: wanted }) });
  if (refs.some((ref) => ref.name.startsWith(`${wanted}/`) || wanted.startsWith(`${ref.name}/`)))
    throw Conflict(t.later('error.clash', { name: wanted }));
}
