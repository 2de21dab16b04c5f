import { Joi, defineRoute, type Route } from '@mortise/plugin-sdk';
import { repositoryResource, type RepositoryContext } from '../api.js';
import { repositoryPath, tag, type RouteServices } from './route-options.js';

const strings = Joi.array().items(Joi.string());

/** What a repository's files say about it: languages and licences. */
export function aboutRoutes({ git, licenses }: Pick<RouteServices, 'git' | 'licenses'>): Route[] {
  const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource } as const;
  const readCode = { ...read, unit: 'code' } as const;

  return [
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/languages`,
      id: 'repoGetLanguages',
      tags: tag,
      summary: 'Bytes by language',
      access: readCode,
      responses: { 200: Joi.object().pattern(Joi.string(), Joi.number().integer()).label('LanguageStatistics') },
      handler: ({ resource }) => languagesOf(resource),
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/licenses`,
      id: 'repoGetLicenses',
      tags: tag,
      summary: 'SPDX identifiers of the licence files',
      access: readCode,
      responses: { 200: strings.label('LicensesList') },
      async handler({ resource: { repository } }) {
        const facts = git.open(repository.id);
        const head = await facts.resolve(repository.defaultBranch);
        return head ? licenses.of(facts, head.commit) : [];
      },
    }),
  ];

  /** Largest share first, as clients show them. */
  async function languagesOf({ repository }: RepositoryContext): Promise<Record<string, number>> {
    const facts = git.open(repository.id);
    const head = await facts.resolve(repository.defaultBranch);
    if (!head) return {};
    return Object.fromEntries(
      Object.entries(await facts.languages(head.commit)).sort(([, one], [, other]) => other - one),
    );
  }
}
