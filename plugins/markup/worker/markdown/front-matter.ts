import { yamlExcess } from '@mortise/plugin-sdk/threads';
import { escapeHtml } from '../../contract/escape.js';
import { yamlParser } from '../libraries.js';

const maxLength = 20_000;
const maxDepth = 3;

/** Takes YAML between two lines `---` off the beginning of a file. */
export function frontMatter(text: string): { readonly html: string; readonly rest: string } {
  const match = /^---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(text.slice(0, maxLength));
  if (!match || match.index !== 0) return { html: '', rest: text };
  const source = match[1]!;
  const value = parsed(source);
  if (value === undefined) return { html: '', rest: text };
  return {
    html:
      typeof value === 'object' && value !== null && Object.keys(value).length > 0
        ? tableOf(value, 0)
        : source.trim()
          ? `<pre><code class="language-yaml">${escapeHtml(source)}</code></pre>\n`
          : '',
    rest: text.slice(match[0].length),
  };
}

/** Undefined: it is no YAML, or means more than it says. */
function parsed(source: string): unknown {
  try {
    const yaml = yamlParser();
    if (yamlExcess(yaml, source)) return undefined;
    // Without aliases nothing grows beyond its source.
    return yaml.parse(source, { maxAliasCount: 0, logLevel: 'error' }) ?? null;
  } catch {
    return undefined;
  }
}

function tableOf(value: object, depth: number): string {
  const cell = (one: unknown): string =>
    typeof one === 'object' && one !== null && !(one instanceof Date) && depth < maxDepth
      ? tableOf(one, depth + 1)
      : escapeHtml(
          one instanceof Date ? one.toISOString() : typeof one === 'object' ? JSON.stringify(one) : String(one),
        );
  if (Array.isArray(value))
    return `<table><tbody><tr>${value.map((one) => `<td>${cell(one)}</td>`).join('')}</tr></tbody></table>`;
  const entries = Object.entries(value);
  const head = entries.map(([key]) => `<th>${escapeHtml(key)}</th>`).join('');
  const body = entries.map(([, one]) => `<td>${cell(one)}</td>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody><tr>${body}</tr></tbody></table>\n`;
}
