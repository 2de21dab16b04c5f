import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryApi as repositoryPath, repositoryResource, repositoryTags as tag } from '@mortise/repositories/api';
import type { GitHook, GitHookService } from '../services/git-hooks.js';

const schema = Joi.object({
  name: Joi.string().required(),
  is_active: Joi.boolean().required(),
  content: Joi.string().allow('').required(),
}).label('GitHook');

const shown = ({ name, content }: GitHook) => ({ name, is_active: content !== '', content });

/** Git hooks, for administrators and whom they allowed it. */
export function gitHookRoutes({ hooks }: { readonly hooks: GitHookService }): Route[] {
  const administer = { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' } as const;
  const path = `${repositoryPath}/hooks/git`;
  return [
    defineRoute({
      method: 'GET',
      path,
      id: 'repoListGitHooks',
      tags: tag,
      summary: 'Git hooks of a repository',
      access: administer,
      responses: { 200: Joi.array().items(schema).label('GitHookList') },
      async handler({ actor, resource }) {
        await hooks.mayRead(actor);
        return (await hooks.list(resource.repository.id)).map(shown);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      id: 'repoGetGitHook',
      tags: tag,
      summary: 'One git hook',
      access: administer,
      responses: { 200: schema },
      async handler({ actor, resource, params }) {
        await hooks.mayRead(actor);
        return shown(await hooks.get(resource.repository.id, params.id));
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      id: 'repoEditGitHook',
      tags: tag,
      summary: 'Change a git hook',
      access: administer,
      request: {
        payload: Joi.object<{ readonly content?: string }>({
          content: Joi.string()
            .allow('')
            .max(256 * 1024),
        }).label('EditGitHookOption'),
      },
      responses: { 200: schema },
      async handler({ actor, resource, params, payload }) {
        await hooks.mayEdit(actor);
        const { id } = resource.repository;
        if (payload.content === undefined) return shown(await hooks.get(id, params.id));
        return shown(await hooks.set(id, params.id, payload.content));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      id: 'repoDeleteGitHook',
      tags: tag,
      summary: 'Remove a git hook',
      access: administer,
      responses: { 204: null },
      async handler({ actor, resource, params }) {
        await hooks.mayEdit(actor);
        await hooks.set(resource.repository.id, params.id, '');
        return reply.none();
      },
    }),
  ];
}
