import type { MarkupReference, ReferenceContext, ReferenceLink } from '@mortise/markup/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import { pathOf, unitOf } from '../api.js';
import type { IssueReader } from './issue-reader.js';

interface ReferenceDeps {
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly reader: IssueReader;
}

/** Other repositories that one text may name. */
const maxRepositories = 50;
/** So many are looked up one by one, for what was looked up is kept; more at once. */
const maxSingle = 10;

/** `#12` and `!12` in comments, and `owner/name#12` anywhere, lead to what the reader may see. */
export const issueReferences = (deps: ReferenceDeps): readonly MarkupReference[] => [
  {
    key: 'issues',
    pattern: /(?<![\w/#!&`-])[#!][1-9]\d{0,8}(?![\w-])/g,
    isShort: true,
    resolve: (texts, context) => resolve(deps, texts, context),
  },
  {
    key: 'issues-elsewhere',
    pattern: /(?<![\w/@.#`-])[\w.-]{1,100}\/[\w.-]{1,100}[#!][1-9]\d{0,8}(?![\w-])/g,
    resolve: (texts, context) => resolve(deps, texts, context),
  },
];

async function resolve(
  { repositories, repositoryAccess, reader }: ReferenceDeps,
  texts: readonly string[],
  { actor, repository: own }: ReferenceContext,
): Promise<ReadonlyMap<string, ReferenceLink>> {
  const named = texts.flatMap((text) => {
    const [, path = '', digits] = /^(?:(.+))?[#!](\d+)$/.exec(text) ?? [];
    const fullName = (path || own)?.toLowerCase();
    return fullName ? [{ text, fullName, index: Number(digits) }] : [];
  });
  const repositoriesById = new Map<string, Repository>();
  for (const fullName of [...new Set(named.map((one) => one.fullName))].slice(0, maxRepositories)) {
    const [owner = '', name = ''] = fullName.split('/');
    const found = await repositories.byPath(owner, name);
    if (found) repositoriesById.set(fullName, found);
  }
  const rights = await repositoryAccess.contexts(actor, [...repositoriesById.values()]);
  const links = new Map<string, ReferenceLink>();
  for (const [fullName, repository] of repositoriesById) {
    const here = named.filter((one) => one.fullName === fullName);
    const indexes = here.map(({ index }) => index);
    const issues =
      indexes.length > maxSingle
        ? await reader.byIndexes(repository.id, indexes)
        : new Map(await Promise.all(indexes.map(async (at) => [at, await reader.byIndex(repository.id, at)] as const)));
    for (const { text, index } of here) {
      const issue = issues.get(index);
      if (issue && rights.get(repository.id)?.may('read', unitOf(issue)))
        links.set(text, { href: `/${repository.ownerName}/${repository.name}/${pathOf(issue)}` });
    }
  }
  return links;
}
