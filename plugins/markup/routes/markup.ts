import { Invalid, Joi, defineRoute, reply, type Route, type Site } from '@mortise/plugin-sdk';
import type { Markup, MarkupContext } from '../api.js';

const modes = ['comment', 'gfm', 'markdown', 'wiki', 'file', ''];
const body = (label: string) =>
  Joi.object({
    Text: Joi.string().allow('').default(''),
    Mode: Joi.string().allow('').default(''),
    Context: Joi.string().allow('').default(''),
    FilePath: Joi.string().allow('').default(''),
    Wiki: Joi.boolean().default(false),
  }).label(label);

type Body = { Text: string; Mode: string; Context: string; FilePath: string };

/** `/markup` and `/markdown` (MKP-01 to MKP-03). */
export function markupRoutes({ markup, site }: { markup: Markup; site: Site }): Route[] {
  /** `http://host/ada/wheel` or `ada/wheel` → where relative links lead. */
  const contextOf = (text: string, mode: string): MarkupContext => {
    const path = text.startsWith(site.rootUrl) ? text.slice(site.rootUrl.length) : text;
    const [owner, name] = path.replace(/^\/+/, '').split('/');
    if (!owner || !name) return { hardBreaks: mode === 'comment' };
    const base = path.startsWith('/') ? path : `/${path}`;
    const whole = base.split('/').length > 3 ? site.url(base) : site.url(`/${owner}/${name}`);
    return { hardBreaks: mode === 'comment', repository: `${owner}/${name}`, linkBase: new URL(whole).pathname, imageBase: new URL(whole).pathname };
  };
  const render = ({ Text, Mode, Context, FilePath }: Body): string => {
    if (!modes.includes(Mode)) throw Invalid(`unknown mode ${Mode}`);
    if (Mode === 'file') {
      const html = FilePath && markup.renderFile(FilePath, Text, contextOf(Context, Mode));
      if (html === undefined || html === '') {
        if (FilePath && markup.canRender(FilePath)) return '';
        throw Invalid(`nothing renders ${FilePath || 'a text without a file path'}`);
      }
      return html;
    }
    return markup.renderMarkdown(Text, contextOf(Context, Mode));
  };
  const html = (text: string) => reply.html(text);
  const signedIn = { actor: 'user' } as const;

  return [
    defineRoute({
      method: 'POST', path: '/api/v1/markup', id: 'renderMarkup', tags: ['miscellaneous'], summary: 'Render a text as HTML', access: signedIn,
      request: { payload: body('MarkupOption') }, payload: { maxBytes: 4 << 20 }, answers: { 200: null }, handler: ({ payload }) => html(render(payload)),
    }),
    defineRoute({
      method: 'POST', path: '/api/v1/markdown', id: 'renderMarkdown', tags: ['miscellaneous'], summary: 'Render Markdown as HTML', access: signedIn,
      request: { payload: body('MarkdownOption') }, payload: { maxBytes: 4 << 20 }, answers: { 200: null },
      handler: ({ payload }) => html(render({ ...payload, FilePath: '', Mode: payload.Mode === 'file' ? 'markdown' : payload.Mode })),
    }),
    defineRoute({
      method: 'POST', path: '/api/v1/markdown/raw', id: 'renderMarkdownRaw', tags: ['miscellaneous'], summary: 'Render a plain body of Markdown as HTML', access: signedIn,
      payload: { as: 'buffer', maxBytes: 4 << 20, allow: ['text/plain', 'text/markdown', 'application/octet-stream', 'application/json', 'application/x-www-form-urlencoded'] }, answers: { 200: null },
      handler: ({ payload }) => html(markup.renderMarkdown(Buffer.isBuffer(payload) ? payload.toString('utf8') : String(payload ?? ''))),
    }),
    defineRoute({
      method: 'POST', path: '/-/markup', surface: 'page', payload: { as: 'form', maxBytes: 4 << 20 }, access: signedIn,
      request: { payload: Joi.object({ mode: Joi.string().allow(''), text: Joi.string().allow(''), context: Joi.string().allow(''), file_path: Joi.string().allow('') }).unknown() },
      handler: ({ payload }) => html(render({ Text: payload.text ?? '', Mode: payload.mode ?? 'comment', Context: payload.context ?? '', FilePath: payload.file_path ?? '' })),
    }),
  ];
}
