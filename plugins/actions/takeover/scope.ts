import type { SourceRow } from '@mortise/plugin-sdk';

/** What rows of owners and repositories refer to. */
export const scopeReferences = { owner_id: 'accounts.users', repository_id: 'repositories.repositories' } as const;

/**
 * Whose a row is. What it belongs to none of is left out, and is 0 by the table: 0 names no row, and a row whose owner has
 * not come must not become one of the site.
 */
export function scopeColumns(row: SourceRow): { owner_id?: number; repository_id?: number } {
  const [owner, repository] = [row.number('owner_id'), row.number('repo_id')];
  // earlier versions named the owner of the repository too
  if (repository !== 0) return { repository_id: repository };
  return owner === 0 ? {} : { owner_id: owner };
}
