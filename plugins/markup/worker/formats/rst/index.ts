import type { RenderTools } from '../../../contract/markup.js';
import { linesOf } from '../lines.js';
import { RstBlocks, isAdornment } from './blocks.js';
import { RstDocument, referenceName } from './document.js';
import { RstInline } from './inline.js';

/** reStructuredText: what readmes and documents of code hold of it. What is not known is shown as it was written. */
export function renderRst(text: string, tools: RenderTools): string {
  const lines = linesOf(text, 8);
  const document = new RstDocument();
  collect(lines, document);
  return new RstBlocks(document, new RstInline(document), tools).render(lines);
}

/** What the text refers to, wherever it stands. */
function collect(lines: readonly string[], document: RstDocument): void {
  lines.forEach((line, at) => {
    const target = /^\s*\.\. _(`[^`]{1,200}`|(?:[^:\\]|\\.){1,200}):(?:\s+(\S.*))?$/.exec(line);
    if (target) {
      const name = referenceName(target[1]!.replace(/^`|`$/g, '').replace(/\\(.)/g, '$1'));
      const more = !target[2] && /^\s+\S/.test(lines[at + 1] ?? '') ? lines[at + 1]!.trim() : undefined;
      const to = (target[2] ?? more)?.trim();
      document.targets.set(name, to ? to.replace(/\s+/g, '') : `#${name.replaceAll(' ', '-')}`);
    }
    const substitution = /^\s*\.\. \|([^|]{1,200})\| +(replace|unicode|image)::\s*(.*)$/.exec(line);
    if (substitution) {
      const [, name = '', kind, value = ''] = substitution;
      if (kind === 'image') {
        document.targets.delete(`|${name}|`);
        document.substitutions.set(referenceName(name), { text: '', html: imageOf(value.trim(), lines, at) });
      } else document.substitutions.set(referenceName(name), { text: value });
    }
    const title = lines[at - 1];
    if (title && !/^\s/.test(title) && isAdornment(line) && line.length >= Math.min(title.length, 4)) {
      const name = referenceName(title);
      if (!document.targets.has(name)) document.targets.set(name, `#${slug(title)}`);
    }
  });
  // References to references.
  for (const [name, to] of document.targets) {
    const next = /^`?([^`]+)`?_$/.exec(to)?.[1];
    const found = next && document.targets.get(referenceName(next));
    if (found) document.targets.set(name, found);
  }
}

const slug = (title: string) =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-');

const attribute = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function imageOf(source: string, lines: readonly string[], at: number): string {
  const options = new Map<string, string>();
  for (let next = at + 1; next < Math.min(lines.length, at + 10); next++) {
    const option = /^\s+:(\w+):\s*(.*)$/.exec(lines[next]!);
    if (!option) break;
    options.set(option[1]!, option[2]!);
  }
  const image = `<img src="${attribute(source)}" alt="${attribute(options.get('alt') ?? '')}">`;
  const to = options.get('target');
  return to ? `<a href="${attribute(to)}">${image}</a>` : image;
}
