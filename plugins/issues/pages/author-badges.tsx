import type { VNode } from 'preact';
import type { Account } from '@mortise/accounts/api';
import type { Issue } from '../api.js';
import type { AuthorRoles } from '../services/author-roles.js';
import { t } from '../texts/index.js';

export type AuthorBadge = 'owner' | 'member' | 'collaborator' | 'author' | 'firstTime';

/** Badges of one text; `id` 0: of the issue itself, whose author needs not be named as that. */
export function badgesOf(
  { roles, isFirstByPoster }: AuthorRoles,
  { posterId }: Pick<Issue, 'posterId'>,
  text: { readonly id: number; readonly authorId: number; readonly originalAuthor: string },
): readonly AuthorBadge[] {
  if (text.originalAuthor) return [];
  const isPoster = text.authorId === posterId;
  const role = roles.get(text.authorId);
  return [
    ...(role ? [role] : []),
    ...(isPoster && text.id !== 0 ? (['author'] as const) : []),
    ...(isPoster && text.id === 0 && isFirstByPoster ? (['firstTime'] as const) : []),
  ];
}

/** Accounts whose roles a page shows: of imported texts none is known. */
export const badgeAuthors = (
  texts: readonly { readonly authorId: number; readonly originalAuthor: string }[],
  users: ReadonlyMap<number, Account>,
): Account[] => {
  const ids = new Set(texts.filter(({ originalAuthor }) => !originalAuthor).map(({ authorId }) => authorId));
  return [...ids].sort((one, other) => one - other).flatMap((id) => users.get(id) ?? []);
};

export const AuthorBadges = ({ badges }: { badges: readonly AuthorBadge[] }): VNode => (
  <>
    {badges.map((badge) => (
      <span class="Label ml-1" title={t(`badge.${badge}Note`)}>
        {t(`badge.${badge}`)}
      </span>
    ))}
  </>
);
