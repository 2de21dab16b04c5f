import { meterSlot, type TaskProgress } from '@mortise/plugin-sdk/threads';
import { escapeHtml } from '../contract/escape.js';
import { languageOf } from './languages.js';
import { highlighter } from './libraries.js';
import type { HighlightTask, HighlightedText } from './tasks.js';

/** Characters; longer texts stay plain. */
const maxHighlighted = 512 * 1024;

// Grammars look at a run of the same kind once from each of its characters, so what is long without need stays plain.
const maxLine = 1_000;
const longWord = /[\w$]{200}/;
const maxBlankLines = 8;
/** Characters: each sign of a text can become a span. */
const maxHtml = 6 << 20;

/** Milliseconds in one task after which further pieces stay plain. */
const patience = 1_500;

/** Highlighting of one text or of many: what was slow leaves less for the rest. */
export class Highlighter {
  #spent = 0;

  /** HTML of the code; undefined: it stays plain. */
  html(code: string, language: string): string | undefined {
    if (code.length > maxHighlighted || this.#spent > patience || !highlighter().getLanguage(language))
      return undefined;
    const started = performance.now();
    try {
      return highlightLines(code, language);
    } finally {
      this.#spent += performance.now() - started;
    }
  }
}

/** Highlighted lines joined by line feeds; none depends on tags of another. Undefined: more markup than is good. */
function highlightLines(code: string, language: string): string | undefined {
  const lines = code.split('\n');
  /** For each line that is highlighted: lines of the text that are put before it again. */
  const kept: string[] = [];
  const before: string[][] = [];
  let aside: string[] = [];
  let blank = 0;
  for (const line of lines) {
    const isLong = line.length > maxLine || (line.length > 200 && longWord.test(line));
    blank = line.trim() === '' && !isLong ? blank + 1 : 0;
    if (isLong || blank > maxBlankLines) aside.push(escapeHtml(line));
    else {
      kept.push(line);
      before.push(aside);
      aside = [];
    }
  }
  if (kept.length === 0) return aside.join('\n');
  const html = closeLines(highlighter().highlight(kept.join('\n'), { language, ignoreIllegals: true }).value);
  if (!html || kept.length === lines.length) return html?.join('\n');
  return [...html.flatMap((line, index) => [...(before[index] ?? []), line]), ...aside].join('\n');
}

/** Lines of highlighted HTML; a span that goes over a line end is closed and opened again. */
function closeLines(html: string): string[] | undefined {
  const open: string[] = [];
  const closed: string[] = [];
  let size = 0;
  for (const line of html.split('\n')) {
    const start = open.join('');
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    const whole = start + line + '</span>'.repeat(open.length);
    closed.push(whole);
    size += whole.length;
    if (size > maxHtml) return undefined;
  }
  return closed;
}

export function highlightAll({ pieces }: HighlightTask, meter: TaskProgress): HighlightedText[] {
  const highlighting = new Highlighter();
  return pieces.map(({ fileName, text }, index) => {
    meter[meterSlot.piece] = index;
    const code = text.replace(/\r\n/g, '\n').replace(/\n$/, '');
    const language = languageOf(fileName, code);
    const html = language && highlighting.html(code, language);
    return html === undefined ? { html: escapeHtml(code) } : { html, language };
  });
}
