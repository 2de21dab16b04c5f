import { Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import {
  changeAnswers,
  listOf,
  readCode,
  repositoryApi as base,
  repositoryTags as documentTags,
  writeCode,
} from '@mortise/history/api';
import type { TagService } from '../services/tags.js';
import { tagSchema } from './schemas.js';

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
      answers: { 200: listOf(tagSchema, 'Tag') },
      async handler({ subject, page }) {
        const all = await tags.ofCommits(subject.repository);
        const shown = all.slice(page.offset, page.offset + page.limit);
        return reply.list(await tags.records(subject.repository, shown), all.length);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/tags/{tag*}`,
      id: 'repoGetTag',
      tags: documentTags,
      summary: 'One tag',
      access: readCode,
      answers: { 200: tagSchema },
      async handler({ subject, params }) {
        const found = await reader.open(subject.repository.id).tag(params.tag);
        const [record] = found ? await tags.records(subject.repository, [found]) : [];
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
        payload: Joi.object({
          tag_name: Joi.string().max(255).required(),
          message: Joi.string().allow('', null),
          target: Joi.string().allow('', null),
        }).label('CreateTagOption'),
      },
      answers: { 201: tagSchema, ...changeAnswers },
      async handler({ actor, subject, payload }) {
        const { tag_name: name, message, target } = payload;
        const made = await tags.create(subject.repository, actor, { name, message, target });
        return reply.created((await tags.records(subject.repository, [made]))[0]);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${base}/tags/{tag*}`,
      id: 'repoDeleteTag',
      tags: documentTags,
      summary: 'Delete a tag',
      access: writeCode,
      answers: { 204: null, ...changeAnswers },
      async handler({ actor, subject, params }) {
        await tags.delete(subject.repository, actor, params.tag);
        return reply.none();
      },
    }),
  ];
}
