import { Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import {
  changeResponses,
  listOf,
  readCode,
  repositoryApi as base,
  repositoryTags as documentTags,
  writeCode,
} from '@mortise/history/api';
import type { TagService } from '../services/tags.js';
import { tagSchema } from './schemas.js';

interface RepoCreateTagPayload {
  readonly tag_name: string;
  readonly message?: string | null;
  readonly target?: string | null;
}

/** Tags. */
export function tagRoutes({ git: reader, tags }: { readonly git: GitReader; readonly tags: TagService }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${base}/tags`,
      id: 'repoListTags',
      tags: documentTags,
      summary: 'Tags',
      access: readCode,
      responses: { 200: listOf(tagSchema, 'Tag') },
      async handler({ resource, page }) {
        const all = await tags.ofCommits(resource.repository);
        const shown = all.slice(page.offset, page.offset + page.limit);
        return reply.list(await tags.records(resource.repository, shown), all.length);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/tags/{tag*}`,
      id: 'repoGetTag',
      tags: documentTags,
      summary: 'One tag',
      access: readCode,
      responses: { 200: tagSchema },
      async handler({ resource, params }) {
        const tag = await reader.open(resource.repository.id).tag(params.tag ?? '');
        const [record] = tag ? await tags.records(resource.repository, [tag]) : [];
        if (!record) throw NotFound('tag');
        return record;
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${base}/tags`,
      id: 'repoCreateTag',
      tags: documentTags,
      summary: 'Create a tag; with a message an annotated one',
      access: writeCode,
      request: {
        payload: Joi.object<RepoCreateTagPayload>({
          tag_name: Joi.string().max(255).required(),
          message: Joi.string().allow('', null),
          target: Joi.string().allow('', null),
        }).label('CreateTagOption'),
      },
      responses: { 201: tagSchema, ...changeResponses },
      async handler({ actor, resource, payload }) {
        const { tag_name: name, message, target } = payload;
        const made = await tags.create(resource.repository, actor, { name, message, target });
        return reply.created((await tags.records(resource.repository, [made]))[0]);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${base}/tags/{tag*}`,
      id: 'repoDeleteTag',
      tags: documentTags,
      summary: 'Delete a tag',
      access: writeCode,
      responses: { 204: null, ...changeResponses },
      async handler({ actor, resource, params }) {
        await tags.delete(resource.repository, actor, params.tag ?? '');
        return reply.none();
      },
    }),
  ];
}
