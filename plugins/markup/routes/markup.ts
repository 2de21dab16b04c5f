import { Joi, NotFound, defineRoute, pageRoute, reply, type Route, type Site } from '@mortise/plugin-sdk';
import type { Markup, Viewer } from '../contract/markup.js';

type Body = { Text: string; Mode: string; Context: string; FilePath: string; Wiki: boolean };
const small = { ignoreUndefined: true, override: true };

interface RenderMarkupPayload {
  readonly Text: string;
  readonly Mode: string;
  readonly Context: string;
  readonly FilePath: string;
  readonly Wiki: boolean;
}

/** Clients of the compatible service write the names with capitals; small letters are taken too. */
const body = (label: string) =>
  Joi.object<RenderMarkupPayload>({
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

const framePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  'sandbox allow-scripts',
].join('; ');

interface RouteDeps {
  readonly markup: Markup;
  readonly site: Site;
  /** Characters of the text of a diagram. */
  readonly maxDiagram: number;
}

interface PreviewFields {
  readonly mode?: string;
  readonly text?: string;
  readonly context?: string;
  readonly file_path?: string;
}

const signedIn = { actor: 'user' } as const;

/** What these routes share. */
function markupContext({ markup, site, maxDiagram }: RouteDeps) {
  const render = async ({ Text, Mode, Context, FilePath, Wiki }: Body, viewer: Viewer) =>
    reply.html(
      await markup.renderRequest({ text: Text, mode: Mode, context: Context, filePath: FilePath, wiki: Wiki, viewer }),
    );
  return { render, site, maxDiagram };
}

type MarkupRouteContext = ReturnType<typeof markupContext>;

const renderMarkup = ({ render }: MarkupRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/markup',
    id: 'renderMarkup',
    tags: ['miscellaneous'],
    summary: 'Render a text as HTML',
    access: signedIn,
    request: { payload: body('MarkupOption') },
    payload: { maxBytes: 4 << 20 },
    responses: { 200: Joi.string().allow('').meta({ mediaType: 'text/html' }) },
    handler: (context) => render(context.payload, context),
  });

const renderMarkdown = ({ render }: MarkupRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/markdown',
    id: 'renderMarkdown',
    tags: ['miscellaneous'],
    summary: 'Render Markdown as HTML',
    access: signedIn,
    request: { payload: body('MarkdownOption') },
    payload: { maxBytes: 4 << 20 },
    responses: { 200: Joi.string().allow('').meta({ mediaType: 'text/html' }) },
    handler: (context) => {
      const { payload } = context;
      const mode = payload.Mode === 'file' ? 'markdown' : payload.Mode;
      return render({ ...payload, FilePath: '', Mode: mode }, context);
    },
  });

const renderMarkdownRaw = ({ render }: MarkupRouteContext) =>
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
    responses: { 200: Joi.string().allow('').meta({ mediaType: 'text/html' }) },
    handler: (context) => {
      const { payload } = context;
      const text = Buffer.isBuffer(payload) ? payload.toString('utf8') : String(payload ?? '');
      return render({ Text: text, Mode: '', Context: '', FilePath: '', Wiki: false }, context);
    },
  });

// Drawn in a sandbox: whatever a diagram says, it reaches nothing of the page around.
const diagram = ({ site, maxDiagram }: MarkupRouteContext) =>
  pageRoute('/-/markup/diagram', { actor: 'anyone', always: true }, () =>
    reply
      .html(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Diagram</title>' +
          '<style>body{display:grid;place-items:center;height:100vh;margin:0}svg{max-height:100vh}</style></head>' +
          `<body><script src="${site.path('/assets/islands/diagram')}" data-max-source="${maxDiagram}"></script></body></html>`,
      )
      .header('content-security-policy', framePolicy)
      .header('cache-control', 'private, max-age=3600'),
  );

// Else the address would count as that of an account, to which nothing can be posted (VER-10).
const previewMarkdown = () =>
  defineRoute({
    method: 'POST',
    path: '/markdown',
    surface: 'page',
    access: { actor: 'anyone' },
    noCsrf: true,
    handler() {
      throw NotFound('page');
    },
  });

const previewMarkup = ({ render }: MarkupRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/-/markup',
    surface: 'page',
    payload: { as: 'form', maxBytes: 4 << 20 },
    access: signedIn,
    request: {
      payload: Joi.object<PreviewFields>({
        mode: Joi.string().allow(''),
        text: Joi.string().allow(''),
        context: Joi.string().allow(''),
        file_path: Joi.string().allow(''),
      }).unknown(),
    },
    handler: (context) => {
      const { payload } = context;
      const body: Body = {
        Text: payload.text ?? '',
        Mode: payload.mode ?? 'comment',
        Context: payload.context ?? '',
        FilePath: payload.file_path ?? '',
        Wiki: false,
      };
      return render(body, context);
    },
  });

/** `/markup` and `/markdown` (MKP-01 to MKP-03). */
export function markupRoutes(deps: RouteDeps): Route[] {
  const context = markupContext(deps);
  return [
    renderMarkup(context),
    renderMarkdown(context),
    renderMarkdownRaw(context),
    diagram(context),
    previewMarkdown(),
    previewMarkup(context),
  ];
}
