import { Joi, pageRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { repositoryResource, type Repository, type RepositoryContext } from '@mortise/repositories/api';
import { unitOf } from '../api.js';
import type { PageDeps } from './page-context.js';

/** What somebody may go on with while they write. */
interface Suggestion {
  /** Goes into the text. */
  readonly value: string;
  readonly label: string;
  readonly about: string;
}

const maxSuggestions = 8;
/** Accounts that are looked at, of which not all may read the repository. */
const maxCandidates = 40;
const maxMembers = 500;

interface Query {
  readonly kind: 'people' | 'issues' | 'emoji';
  readonly q?: string;
}
const query = Joi.object<Query>({
  kind: Joi.string().valid('people', 'issues', 'emoji').required(),
  q: Joi.string().allow('').max(50),
});

/** People, issues and emoji that texts can name, for the script of the editor. */
export function suggestionRoutes(deps: PageDeps): Route[] {
  const { accounts, issueServices, markup } = deps;
  const { repositoryAccess, repositoryMembers } = issueServices.deps;

  /** Those who may read it: whom it belongs to and who works on it first, and where everybody may read it, others. */
  const people = async (repository: Repository, text: string, actor: Actor): Promise<Suggestion[]> => {
    const lower = text.toLowerCase();
    const fits = ({ lowerName, fullName, kind }: Account) =>
      kind === 'user' && (lowerName.includes(lower) || fullName.toLowerCase().includes(lower));
    const memberIds = (await repositoryMembers.writers(repository)).slice(0, maxMembers);
    const search = { kind: 'user', visibleTo: actor, sort: 'name', offset: 0 } as const;
    const seen = memberIds.length
      ? await accounts.search({ ...search, ids: memberIds, ...(text && { text }), limit: maxMembers })
      : { items: [] };
    const members = seen.items.filter(fits).slice(0, maxCandidates);
    const more =
      lower && members.length < maxSuggestions
        ? await accounts.search({ ...search, text, limit: maxCandidates })
        : { items: [] };
    const known = new Map([...members, ...more.items.filter(fits)].map((one) => [one.id, one]));
    const rights = await repositoryAccess.rightsAmong([...known.values()], repository);
    const able = [...known.values()].filter((one) => !accounts.refusal(one) && rights.get(one.id)?.may('read'));
    const rank = ({ lowerName }: Account) => (lowerName.startsWith(lower) ? 0 : 1);
    return able
      .sort((one, other) => rank(one) - rank(other))
      .slice(0, maxSuggestions)
      .map(({ name, fullName }) => ({ value: `@${name}`, label: name, about: fullName }));
  };

  /** Of the kinds that the actor may read here. */
  const issues = async (context: RepositoryContext, text: string, actor: Actor): Promise<Suggestion[]> => {
    const kinds = [false, true].filter((isPull) => context.may('read', unitOf({ isPull })));
    if (kinds.length === 0) return [];
    const { items } = await issueServices.reader.search(
      {
        repositoryId: context.repository.id,
        ...(kinds.length === 1 && { isPull: kinds[0] }),
        ...(text && { text }),
        sort: text ? 'recentupdate' : 'newest',
        limit: maxSuggestions,
        offset: 0,
      },
      actor,
    );
    return items.map(({ index, title }) => ({ value: `#${index}`, label: `#${index}`, about: deps.emojify(title) }));
  };

  return [
    pageRoute(
      '/{owner}/{repo}/suggestions',
      { actor: 'user', resource: repositoryResource },
      async ({ actor, resource, query: { kind, q = '' } }) => {
        const text = q.trim();
        const found =
          kind === 'people'
            ? await people(resource.repository, text, actor)
            : kind === 'issues'
              ? await issues(resource, text, actor)
              : markup
                  .findEmoji(text, maxSuggestions)
                  .map(({ name, emoji }) => ({ value: `:${name}:`, label: emoji, about: name }));
        return reply.json(found).header('cache-control', 'private, max-age=20');
      },
      { query },
    ),
  ];
}
