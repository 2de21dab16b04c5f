import type { RenderTools } from '../../contract/markup.js';
import { escapeHtml, unescapeHtml } from '../../contract/escape.js';
import { asciidoctor } from '../libraries.js';

type Library = Awaited<ReturnType<typeof asciidoctor>>;

/** Of a node: what {@link prepare} reads. */
interface Admonition {
  readonly title?: string;
  hasTitle(): boolean;
  getAttribute(name: string): unknown;
  content(): Promise<string>;
}

let prepared: Promise<Library> | undefined;

/** The library with alerts as Markdown has them; it tells nobody what it thinks of a text. */
async function prepare(): Promise<Library> {
  const library = await asciidoctor();
  const { ConverterFactory, Html5Converter, LoggerManager, NullLogger } = library;
  LoggerManager.setLogger(new NullLogger());
  ConverterFactory.register(
    class extends Html5Converter {
      override async convert_admonition(node: Admonition): Promise<string> {
        const kind = escapeHtml(String(node.getAttribute('name')));
        const label = escapeHtml(String(node.getAttribute('textlabel')));
        const title = node.hasTitle() ? `<p><strong>${node.title}</strong></p>` : '';
        const content = await node.content();
        const inner = content.startsWith('<') ? content : `<p>${content}</p>`;
        return `<div class="markdown-alert markdown-alert-${kind}"><p class="markdown-alert-title">${label}</p>${title}${inner}</div>`;
      }
    },
    'html5',
  );
  return library;
}

/** AsciiDoc by Asciidoctor in its mode for foreign documents: nothing is included or read. */
export async function renderAsciidoc(text: string, tools: RenderTools): Promise<string> {
  const { convert } = await (prepared ??= prepare());
  const html = String(
    await convert(text, {
      safe: 'secure',
      attributes: { showtitle: true, 'source-highlighter': null, icons: null, relfilesuffix: '.adoc' },
    }),
  );
  const highlighted = html.replace(
    /<code class="language-([\w+#.-]+)"[^>]*>([^<]*)<\/code>/g,
    (_, language: string, code: string) =>
      `<code class="language-${language}">${tools.code(unescapeHtml(code), language)}</code>`,
  );
  return /^:stem:/m.test(text) ? formulas(highlighted) : highlighted;
}

/** Formulas in LaTeX as code that the last pass makes MathML of. */
const formulas = (html: string): string =>
  html
    .replace(/\\\(([^<]{1,5000}?)\\\)/g, '<code class="language-math">$1</code>')
    .replace(/\\\[([^<]{1,5000}?)\\\]/g, '<code class="language-math math-display">$1</code>');
