import type MarkdownIt from 'markdown-it';
import { emoji, footnotes, markdownParser } from '../libraries.js';
import { alerts, headingAnchors, taskLists } from './blocks.js';
import { frontMatter } from './front-matter.js';
import { math } from './math.js';
import { strikethrough } from './strikethrough.js';

/** Footnotes cost time by their number squared: texts with more marks of them than that are rendered without. */
const maxNotes = 2_000;

interface MarkdownOptions {
  readonly hardBreaks: boolean;
  readonly math: boolean;
  /** A file: it may begin with front matter. */
  readonly frontMatter: boolean;
  /** Safe HTML of code. */
  readonly code: (text: string, language: string) => string;
}

/** What a rendering brings with it: parsers are kept, and serve one text after the other. */
interface Environment {
  readonly options: MarkdownOptions;
}

const parsers = new Map<string, MarkdownIt>();

/** HTML of GitHub-flavoured Markdown; not safe yet. */
export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const { html, rest } = options.frontMatter ? frontMatter(text) : { html: '', rest: text };
  const features = {
    breaks: options.hardBreaks,
    math: options.math && rest.includes('$'),
    notes: (rest.match(/\[\^|\^\[/g)?.length ?? 0) <= maxNotes,
  };
  const key = JSON.stringify(features);
  const parser = parsers.get(key) ?? newParser(features);
  parsers.set(key, parser);
  return html + parser.render(rest, { options } satisfies Environment);
}

interface Features {
  readonly breaks: boolean;
  readonly math: boolean;
  readonly notes: boolean;
}

function newParser(features: Features): MarkdownIt {
  const parser = new (markdownParser())({ html: true, linkify: true, breaks: features.breaks });
  autolinks(parser);
  strikethrough(parser);
  // Unsafe addresses are taken out once, by the sanitizer; the parser would leave their source text standing.
  parser.validateLink = () => true;
  parser.renderer.rules.s_open = () => '<del>';
  parser.renderer.rules.s_close = () => '</del>';
  parser.renderer.rules.fence = (tokens, index, _options, env: Environment) => {
    const { content, info } = tokens[index]!;
    const language = /^[^\s,{]+/.exec(parser.utils.unescapeAll(info).trim())?.[0] ?? '';
    const name = language ? ` class="language-${parser.utils.escapeHtml(language)}"` : '';
    return `<pre><code${name}>${env.options.code(content, language)}</code></pre>\n`;
  };
  if (features.notes) parser.use(footnotes());
  if (features.math) math(parser);
  alerts(parser);
  taskLists(parser);
  headingAnchors(parser);
  emojiNames(parser);
  return parser;
}

/** Addresses and `www.` become links by themselves, names of files such as `read.me` do not. */
function autolinks(parser: MarkdownIt): void {
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: true });
  parser.linkify.add('www.', {
    validate: (text, position) =>
      /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#][^\s<>"`]*[^\s<>"`.,:;!?'*_~)])?/.exec(
        text.slice(position, position + 2048),
      )?.[0].length ?? 0,
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
}

/** `:smile:` outside of code. */
function emojiNames(parser: MarkdownIt): void {
  parser.core.ruler.after('linkify', 'emoji', ({ tokens }) => {
    for (const token of tokens)
      for (const child of token.children ?? []) if (child.type === 'text') child.content = emoji.replace(child.content);
  });
}
