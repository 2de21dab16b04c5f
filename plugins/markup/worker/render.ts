import { renderAsciidoc } from './formats/asciidoc.js';
import { csvTable } from './formats/csv.js';
import { renderOrg } from './formats/org/index.js';
import { renderRst } from './formats/rst/index.js';
import { escapeHtml } from '../contract/escape.js';
import { Finisher } from './finish.js';
import { Highlighter } from './highlight.js';
import { languageNamed } from './languages.js';
import { renderMarkdown } from './markdown/parser.js';
import { renderMessage } from './message.js';
import { Sanitizer } from './sanitize.js';
import type { RenderOptions, RenderTask, RenderedText } from './tasks.js';
import type { FileRenderer, RenderTools } from '../contract/markup.js';

/** Characters of HTML; a text that becomes more is shown as it was written. */
const maxHtml = 6 << 20;

type Render = FileRenderer['render'];

const formats: Readonly<Record<string, Render>> = {
  markdown: (text, tools) => tools.markdown(text),
  // what a command of the operator has made
  html: (text) => text,
  message: renderMessage,
  asciidoc: renderAsciidoc,
  org: renderOrg,
  rst: renderRst,
  csv: (text) => csvTable(text, ','),
  tsv: (text) => csvTable(text, '\t'),
};

const sanitizers = new Map<string, Sanitizer>();

export function cleanHtml(html: string, schemes: readonly string[] = []): string {
  const key = schemes.join(' ');
  const sanitizer = sanitizers.get(key) ?? new Sanitizer(schemes);
  sanitizers.set(key, sanitizer);
  return sanitizer.clean(html);
}

const modules = new Map<string, Promise<Render>>();

/** The renderer that a module exports as default, or as `render`. */
function moduleRenderer(address: string): Promise<Render> {
  const known = modules.get(address);
  if (known) return known;
  const loading = import(address).then((module: { default?: Render; render?: Render }) => {
    const render = module.default ?? module.render;
    if (typeof render !== 'function') throw new Error(`${address} exports no function that renders`);
    return render;
  });
  modules.set(address, loading);
  return loading;
}

export async function renderText({ format, fileName, text, options }: RenderTask): Promise<RenderedText> {
  const render = 'module' in format ? await moduleRenderer(format.module) : formats[format.name];
  if (!render) throw new Error('there is no such format');
  const html = await render(text, toolsFor(fileName, options));
  if (html.length > maxHtml) throw new Error('the rendered text is too large');
  const finished = new Finisher(options).finish(cleanHtml(html, options.schemes));
  if (finished.html.length > maxHtml) throw new Error('the rendered text is too large');
  return finished;
}

function toolsFor(fileName: string, options: RenderOptions): RenderTools {
  const highlighter = new Highlighter();
  const code = (text: string, language: string) => {
    const known = options.lean ? undefined : languageNamed(language);
    return (known && highlighter.html(text, known)) ?? escapeHtml(text);
  };
  return {
    fileName,
    escape: escapeHtml,
    code,
    markdown: (source) => renderMarkdown(source, { ...options, code }),
  };
}
