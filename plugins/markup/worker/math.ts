import type { IOptions } from 'sanitize-html';
import { escapeHtml, unescapeHtml } from '../contract/escape.js';
import { mathRenderer, sanitizer } from './libraries.js';

const maxFormulas = 1_000;
/** Characters of one formula. */
const maxLength = 5_000;
/** Milliseconds for all formulas of a text. */
const patience = 1_000;

const tags =
  'math semantics annotation mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot munder mover ' +
  'munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose';
const attributes =
  'display xmlns mathvariant mathcolor mathbackground mathsize stretchy fence separator lspace rspace accent ' +
  'accentunder largeop movablelimits symmetric columnalign columnspacing columnlines rowspacing rowlines rowalign ' +
  'width height depth voffset linethickness minsize maxsize notation encoding scriptlevel displaystyle';

/** All that a formula may be; it comes from a renderer that we trust, and is looked at once more. */
const formulaOptions: IOptions = {
  allowedTags: tags.split(' '),
  allowedAttributes: { '*': attributes.split(' ') },
  parser: { lowerCaseTags: true },
};

/** Code that is marked as math becomes MathML, which browsers show by themselves and screen readers read. */
export class Formulas {
  #count = 0;
  #spent = 0;
  readonly #made: string[] = [];

  /** Puts slots into the sanitized HTML, so that nothing else looks into formulas. */
  take(html: string): string {
    if (!html.includes('language-math')) return html;
    return html.replace(
      /(<pre>)?<code class="([^"]*)">([^<]*)<\/code>(<\/pre>)?/g,
      (whole, open: string | undefined, classes: string, source: string, close: string | undefined) => {
        const names = classes.split(' ');
        if (!names.includes('language-math') || Boolean(open) !== Boolean(close)) return whole;
        const formula = this.#render(unescapeHtml(source).trim(), Boolean(open) || names.includes('math-display'));
        if (formula === undefined) return whole;
        this.#made.push(open ? `<div class="markup-math">${formula}</div>` : formula);
        return `\0X${this.#made.length - 1}\0`;
      },
    );
  }

  give(html: string): string {
    return this.#made.length === 0
      ? html
      : html.replace(/\0X(\d+)\0/g, (_, number: string) => this.#made[Number(number)]!);
  }

  /** Undefined: it stays as it was written. */
  #render(source: string, displayMode: boolean): string | undefined {
    if (!source || source.length > maxLength || this.#count++ >= maxFormulas || this.#spent > patience)
      return undefined;
    const started = performance.now();
    try {
      const html = mathRenderer().renderToString(source, {
        displayMode,
        output: 'mathml',
        throwOnError: true,
        trust: false,
        strict: 'ignore',
        maxExpand: 500,
        maxSize: 50,
      });
      return sanitizer()(html, formulaOptions);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      return `<code class="markup-error" title="${escapeHtml(message.slice(0, 200))}">${escapeHtml(source)}</code>`;
    } finally {
      this.#spent += performance.now() - started;
    }
  }
}
