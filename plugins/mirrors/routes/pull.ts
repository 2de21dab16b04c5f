import { BadRequest, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource, repositoryTags } from '@mortise/repositories/api';
import type { PullMirrors } from '../contract/mirrors.js';
import { t } from '../texts/index.js';

export const pullRoutes = ({ pullMirrors }: { readonly pullMirrors: PullMirrors }): Route[] => [
  defineRoute({
    method: 'POST',
    path: `${repositoryApi}/mirror-sync`,
    id: 'repoMirrorSync',
    tags: repositoryTags,
    summary: 'Synchronize a pull mirror in the background',
    access: { actor: 'user', scope: 'repository', resource: repositoryResource, unit: 'code', mode: 'write' },
    responses: { 200: null, 400: null },
    async handler({ resource: { repository } }) {
      if (!repository.mirror) throw BadRequest(t.later('error.noMirror'));
      await pullMirrors.requestSync(repository.id);
      return reply.empty(200);
    },
  }),
];
