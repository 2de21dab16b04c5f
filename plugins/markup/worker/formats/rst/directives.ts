import { escapeHtml } from '../../../contract/escape.js';
import { csvTable } from '../csv.js';
import { compact, indentOf, isBlank, trimLines } from '../lines.js';
import type { RstBlocks } from './blocks.js';

const alertKinds: Readonly<Record<string, string>> = {
  note: 'note',
  seealso: 'note',
  admonition: 'note',
  todo: 'note',
  hint: 'tip',
  tip: 'tip',
  important: 'important',
  attention: 'warning',
  warning: 'warning',
  caution: 'caution',
  danger: 'caution',
  error: 'caution',
};
/** Directives that only hold other blocks, or change how they look. */
const plain = new Set([
  'container',
  'class',
  'compound',
  'rst-class',
  'sidebar',
  'topic',
  'epigraph',
  'highlights',
  'pull-quote',
  'only',
  'tab',
  'tabs',
  'tab-set',
  'tab-item',
  'grid',
  'card',
  'dropdown',
  'details',
  'center',
  'hlist',
  'glossary',
  'figure-md',
]);
const silent = new Set([
  'contents',
  'sectnum',
  'toctree',
  'meta',
  'highlight',
  'default-role',
  'role',
  'target-notes',
  'header',
  'footer',
  'index',
  'tabularcolumns',
  'currentmodule',
  'module',
  'py:module',
  'py:currentmodule',
  'title',
]);

/** Options of a directive stand at the beginning of its body. */
function optionsOf(body: readonly string[]): { options: Map<string, string>; content: string[] } {
  const options = new Map<string, string>();
  let at = 0;
  for (; at < body.length; at++) {
    const match = /^:([\w-]{1,64}):(?: +(.*))?$/.exec(body[at]!);
    if (!match) break;
    options.set(match[1]!.toLowerCase(), match[2] ?? '');
  }
  return { options, content: trimLines(body.slice(at)) };
}

export function renderDirective(blocks: RstBlocks, name: string, argument: string, body: readonly string[]): string {
  const { options, content } = optionsOf(body);
  const text = content.join('\n');
  if (silent.has(name)) return '';
  const alert = alertKinds[name];
  if (alert) return admonition(blocks, alert, name, argument, content);
  switch (name) {
    case 'image':
      return `<p>${image(argument, options)}</p>\n`;
    case 'figure':
      return `<figure>${image(argument, options)}${content.length ? `<figcaption>${blocks.render(content)}</figcaption>` : ''}</figure>\n`;
    case 'code':
    case 'code-block':
    case 'sourcecode':
    case 'parsed-literal':
    case 'prompt':
    case 'doctest':
    case 'testcode': {
      const language = name === 'parsed-literal' ? '' : argument || 'text';
      const label = language ? ` class="language-${escapeHtml(language)}"` : '';
      const caption = options.get('caption');
      return `${caption ? `<p><em>${blocks.inline.render(caption)}</em></p>` : ''}<pre><code${label}>${blocks.tools.code(text, language)}</code></pre>\n`;
    }
    case 'math':
      return [argument, text]
        .filter((one) => one.trim())
        .map((one) => `<pre><code class="language-math math-display">${escapeHtml(one)}</code></pre>\n`)
        .join('');
    case 'list-table':
      return listTable(blocks, argument, options, content);
    case 'csv-table':
      return caption(blocks, argument) + csvTable([options.get('header'), text].filter(Boolean).join('\n'), ',');
    case 'table':
      return caption(blocks, argument) + blocks.render(content);
    case 'rubric':
    case 'centered':
      return `<p><strong>${blocks.inline.render(argument)}</strong></p>\n`;
    case 'versionadded':
    case 'versionchanged':
    case 'deprecated':
    case 'versionremoved':
      return `<p><em>${changes[name]} ${escapeHtml(argument)}</em></p>\n${blocks.render(content)}`;
    case 'include':
    case 'literalinclude':
      return `<p><a href="${escapeHtml(argument)}"><code>${escapeHtml(argument)}</code></a></p>\n`;
    case 'mermaid':
    case 'graphviz':
      return `<pre><code class="language-${name}">${escapeHtml(text)}</code></pre>\n`;
  }
  if (plain.has(name))
    return `${argument ? `<p><strong>${blocks.inline.render(argument)}</strong></p>` : ''}${blocks.render(content)}`;
  if (
    /^(?:py|c|cpp|js|rst|std)?:?(?:function|class|method|attribute|data|exception|module|option|envvar|describe|staticmethod|classmethod|property|decorator|confval)$/.test(
      name,
    )
  )
    return `<dl><dt><code>${escapeHtml(argument)}</code></dt><dd>${blocks.render(content)}</dd></dl>\n`;
  // Shown as it was written, also raw HTML: nobody meant it for this page.
  return blocks.pre(
    [`.. ${name}:: ${argument}`.trimEnd(), ...body.map((line) => (line ? `   ${line}` : ''))].join('\n'),
  );
}

const changes: Readonly<Record<string, string>> = {
  versionadded: 'New in version',
  versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version',
  versionremoved: 'Removed in version',
};

const caption = (blocks: RstBlocks, text: string) =>
  text ? `<p><strong>${blocks.inline.render(text)}</strong></p>` : '';

function image(source: string, options: ReadonlyMap<string, string>): string {
  const size = (name: string) => {
    const value = /^(\d{1,5})(?:px)?$|^(\d{1,3}%)$/.exec(options.get(name) ?? '');
    return value ? ` ${name}="${value[1] ?? value[2]}"` : '';
  };
  const html = `<img src="${escapeHtml(source.trim())}" alt="${escapeHtml(options.get('alt') ?? '')}"${size('width')}${size('height')}>`;
  const to = options.get('target');
  return to ? `<a href="${escapeHtml(to)}">${html}</a>` : html;
}

function admonition(
  blocks: RstBlocks,
  kind: string,
  name: string,
  argument: string,
  content: readonly string[],
): string {
  const named = name === 'admonition' || name === 'todo' || name === 'seealso';
  const title =
    name === 'admonition'
      ? blocks.inline.render(argument)
      : name === 'seealso'
        ? 'See also'
        : name[0]!.toUpperCase() + name.slice(1);
  const body = name === 'admonition' || !argument ? content : [argument, ...content];
  const shown =
    named || !['note', 'tip', 'important', 'warning', 'caution'].includes(name)
      ? title
      : kind[0]!.toUpperCase() + kind.slice(1);
  return `<div class="markdown-alert markdown-alert-${kind}"><p class="markdown-alert-title">${shown}</p>\n${blocks.render(body)}</div>\n`;
}

/** A table written as a list of lists. */
function listTable(
  blocks: RstBlocks,
  title: string,
  options: ReadonlyMap<string, string>,
  content: readonly string[],
): string {
  const rows: string[][] = [];
  let cell: string[] | undefined;
  const cells: string[][][] = [];
  for (const line of content) {
    const row = /^\* +- ?(.*)$/.exec(line);
    const next = /^ +- ?(.*)$/.exec(line);
    if (row) cells.push([(cell = [row[1]!])]);
    else if (next && cells.length && indentOf(line) <= 4) cells.at(-1)!.push((cell = [next[1]!]));
    else if (cell) cell.push(isBlank(line) ? '' : line.slice(Math.min(indentOf(line), 4)));
  }
  for (const row of cells) rows.push(row.map((one) => compact(blocks.render(trimLines(one)))));
  const heads = Number(options.get('header-rows') ?? 0);
  const line = (row: readonly string[], tag: string) =>
    `<tr>${row.map((one) => `<${tag}>${one}</${tag}>`).join('')}</tr>`;
  const head = rows
    .slice(0, heads)
    .map((row) => line(row, 'th'))
    .join('');
  const body = rows
    .slice(heads)
    .map((row) => line(row, 'td'))
    .join('');
  return `${caption(blocks, title)}<table>${head ? `<thead>${head}</thead>` : ''}<tbody>${body}</tbody></table>\n`;
}
