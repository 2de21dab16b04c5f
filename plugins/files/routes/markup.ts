import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { Markup } from '@mortise/markup/api';
import { repositoryResource } from '@mortise/repositories/api';
import { repositoryApi as base, repositoryTags as tags } from '@mortise/history/api';

const word = Joi.string().allow('').default('');
interface Body {
  readonly Text: string;
  readonly Mode: string;
  readonly Context: string;
  readonly FilePath: string;
  readonly Wiki: boolean;
}

const body = Joi.object<Body>({
  Text: word,
  Mode: word,
  Context: word,
  FilePath: word,
  Wiki: Joi.boolean().default(false),
}).label('RepositoryMarkupOption');

/** Texts rendered in the frame of a repository (MKP-01). */
export function repositoryMarkupRoutes({ markup }: { markup: Markup }): Route[] {
  return (['markup', 'markdown'] as const).map((path) =>
    defineRoute({
      method: 'POST',
      path: `${base}/${path}`,
      id: path === 'markup' ? 'repoRenderMarkup' : 'repoRenderMarkdown',
      tags,
      summary: 'Render a text as HTML in the frame of a repository',
      access: { actor: 'user', resource: repositoryResource, mode: 'read' },
      payload: { maxBytes: 4 << 20 },
      request: { payload: body },
      responses: { 200: Joi.string().allow('').meta({ mediaType: 'text/html' }) },
      handler: async ({ resource, payload, actor, remoteAddress }) =>
        reply.html(
          await markup.renderRequest({
            viewer: { actor, remoteAddress },
            text: payload.Text,
            mode: payload.Mode,
            context: payload.Context || `${resource.repository.ownerName}/${resource.repository.name}`,
            filePath: payload.FilePath,
            wiki: payload.Wiki,
          }),
        ),
    }),
  );
}
