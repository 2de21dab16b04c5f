import { Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { Markup } from '../api.js';

type Body = { Text: string; Mode: string; Context: string; FilePath: string; Wiki: boolean };
const small = { ignoreUndefined: true, override: true };

/** Clients of the compatible service write the names with capitals; small letters are taken too. */
const body = (label: string) =>
  Joi.object({
    Text: Joi.string().allow('').default(''),
    Mode: Joi.string().allow('').default(''),
    Context: Joi.string().allow('').default(''),
    FilePath: Joi.string().allow('').default(''),
    Wiki: Joi.boolean().default(false),
  })
    .rename('text', 'Text', small)
    .rename('mode', 'Mode', small)
    .rename('context', 'Context', small)
    .rename('filepath', 'FilePath', small)
    .rename('wiki', 'Wiki', small)
    .label(label);

/** `/markup` and `/markdown` (MKP-01 to MKP-03). */
export function markupRoutes({ markup }: { markup: Markup }): Route[] {
  const render = ({ Text, Mode, Context, FilePath, Wiki }: Body): string =>
    markup.renderRequest({ text: Text, mode: Mode, context: Context, filePath: FilePath, wiki: Wiki });
  const html = (text: string) => reply.html(text);
  const signedIn = { actor: 'user' } as const;

  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/markup',
      id: 'renderMarkup',
      tags: ['miscellaneous'],
      summary: 'Render a text as HTML',
      access: signedIn,
      request: { payload: body('MarkupOption') },
      payload: { maxBytes: 4 << 20 },
      answers: { 200: null },
      handler: ({ payload }) => html(render(payload)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/markdown',
      id: 'renderMarkdown',
      tags: ['miscellaneous'],
      summary: 'Render Markdown as HTML',
      access: signedIn,
      request: { payload: body('MarkdownOption') },
      payload: { maxBytes: 4 << 20 },
      answers: { 200: null },
      handler: ({ payload }) =>
        html(render({ ...payload, FilePath: '', Mode: payload.Mode === 'file' ? 'markdown' : payload.Mode })),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/markdown/raw',
      id: 'renderMarkdownRaw',
      tags: ['miscellaneous'],
      summary: 'Render a plain body of Markdown as HTML',
      access: signedIn,
      payload: {
        as: 'buffer',
        maxBytes: 4 << 20,
        allow: [
          'text/plain',
          'text/markdown',
          'application/octet-stream',
          'application/json',
          'application/x-www-form-urlencoded',
        ],
      },
      answers: { 200: null },
      handler: ({ payload }) =>
        html(markup.renderMarkdown(Buffer.isBuffer(payload) ? payload.toString('utf8') : String(payload ?? ''))),
    }),
    // Else the address would count as that of an account, to which nothing can be posted (VER-10).
    defineRoute({
      method: 'POST',
      path: '/markdown',
      surface: 'page',
      access: { actor: 'anyone' },
      noCsrf: true,
      handler() {
        throw NotFound('page');
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/-/markup',
      surface: 'page',
      payload: { as: 'form', maxBytes: 4 << 20 },
      access: signedIn,
      request: {
        payload: Joi.object({
          mode: Joi.string().allow(''),
          text: Joi.string().allow(''),
          context: Joi.string().allow(''),
          file_path: Joi.string().allow(''),
        }).unknown(),
      },
      handler: ({ payload }) =>
        html(
          render({
            Text: payload.text ?? '',
            Mode: payload.mode ?? 'comment',
            Context: payload.context ?? '',
            FilePath: payload.file_path ?? '',
            Wiki: false,
          }),
        ),
    }),
  ];
}
