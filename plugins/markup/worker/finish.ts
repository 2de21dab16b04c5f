import { escapeHtml, unescapeHtml } from '../contract/escape.js';
import { Formulas } from './math.js';
import { finderOf, type Finder } from './patterns.js';
import { relativeTarget, toHeading } from './slots.js';
import type { FoundReference, RenderOptions, RenderedText } from './tasks.js';

/** Addresses that are filled in for each page; further ones are left as they were written. */
const maxAddresses = 20_000;
/** References of one text, repeated ones included; further ones stay text. */
const maxReferences = 2_000;

const absolute = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
const token = /<(\/?)([a-z][a-z0-9]*)([^>]*)>|[^<]+/g;
/** Of this site: addresses that are shown short. */
const shortened =
  /^\/[\w.-]+\/[\w.-]+\/(?:(?:issues|pulls)\/\d+|commit\/[0-9a-f]{40,64}|compare\/[^/?#]+)(?:#[\w-]+)?$/;

interface Match extends FoundReference {
  readonly start: number;
}

/**
 * The last pass over sanitized HTML, whose tags are all of one form: marks the slots that depend on the page and on its
 * reader, and adds what pages need. What it adds is markup of our own.
 */
export class Finisher {
  #addresses = 0;
  /** Inside of a link or of code, where nothing becomes a link. */
  #quiet = 0;
  #tables = 0;
  #heading = '';
  /** The text that follows is an address of this site, which is shown short. */
  #isShort = false;
  readonly #references: FoundReference[] = [];
  readonly #finders: readonly (Finder | undefined)[];
  readonly #formulas = new Formulas();

  constructor(private readonly options: Pick<RenderOptions, 'patterns' | 'forPage' | 'math' | 'lean' | 'rootUrl'>) {
    this.#finders = options.patterns.map(finderOf);
  }

  finish(html: string): RenderedText {
    const { math, lean } = this.options;
    const source = math && !lean ? this.#formulas.take(html) : html;
    const finished = source.replace(token, (whole, slash, name, attributes, at: number) => {
      if (name === undefined) return this.#quiet > 0 ? this.#quietText(whole) : this.#text(whole);
      return slash
        ? this.#close(whole, name as string)
        : this.#open(whole, name, attributes, source, at + whole.length);
    });
    return { html: this.#formulas.give(finished), references: this.#references };
  }

  #open(tag: string, name: string, attributes: string, html: string, next: number): string {
    switch (name) {
      case 'a':
        this.#quiet++;
        return this.#link(tag, html, next);
      case 'code':
        this.#quiet++;
        return tag;
      case 'pre':
        this.#quiet++;
        return this.options.forPage ? `<div class="markup-code">${tag.replace('<pre', '<pre tabindex="0"')}` : tag;
      case 'input':
        return tag.replace(
          '<input',
          `<input aria-label="${attributes.includes(' checked') ? 'Completed task' : 'Incomplete task'}"`,
        );
      case 'table':
        return this.#tables++ === 0 && this.options.forPage ? `<div class="markup-table" tabindex="0">${tag}` : tag;
      case 'img':
      case 'video':
      case 'source':
        return this.#media(tag);
      default:
        if (/^h[1-6]$/.test(name)) this.#heading = / id="(user-content-[^"]+)"/.exec(attributes)?.[1] ?? '';
        return tag;
    }
  }

  #close(tag: string, name: string): string {
    if (name === 'a' || name === 'code' || name === 'pre') this.#quiet--;
    if (!this.options.forPage) return tag;
    if (name === 'pre') return `${tag}</div>`;
    if (name === 'table') return --this.#tables === 0 ? `${tag}</div>` : tag;
    if (!this.#heading || !/^h[1-6]$/.test(name)) return tag;
    const anchor = `<a class="anchor" href="#${this.#heading}" aria-label="Link to this section"></a>`;
    this.#heading = '';
    return anchor + tag;
  }

  #link(tag: string, html: string, next: number): string {
    const { rootUrl } = this.options;
    return tag.replace(/ href="([^"]*)"/, (whole, address: string) => {
      if (address.startsWith(`${rootUrl}/`) && html.startsWith(`${address}</a>`, next))
        if (shortened.test(address.slice(rootUrl.length))) this.#isShort = true;
      return address ? ` href="${this.#address(address, 'L')}"` : whole;
    });
  }

  #media(tag: string): string {
    return tag
      .replace(/ (src|poster)="([^"]*)"/g, (whole, name: string, address: string) =>
        address ? ` ${name}="${this.#address(address, 'M')}"` : whole,
      )
      .replace(/ srcset="([^"]*)"/, (_, list: string) => ` srcset="${this.#sources(list)}"`);
  }

  /** Addresses, each with what it is good for, between commas. */
  #sources(list: string): string {
    return list
      .split(/,\s+/)
      .map((one) => {
        const [address = '', ...rest] = one.trim().split(/\s+/);
        return [address && this.#address(address, 'M'), ...rest].join(' ');
      })
      .join(', ');
  }

  #address(address: string, kind: 'L' | 'M'): string {
    if (address.startsWith('#')) return toHeading(address);
    if (absolute.test(address) || this.#addresses >= maxAddresses) return address;
    this.#addresses++;
    return relativeTarget(address, kind);
  }

  #quietText(html: string): string {
    if (!this.#isShort) return html;
    this.#isShort = false;
    return `\0U${html}\0`;
  }

  #text(html: string): string {
    if (this.#finders.length === 0 || this.#references.length >= maxReferences) return html;
    // Between NUL characters stand slots.
    return html
      .split('\0')
      .map((part, index) => (index % 2 === 0 ? this.#refer(part) : part))
      .join('\0');
  }

  #refer(html: string): string {
    const text = unescapeHtml(html);
    const matches = this.#matches(text);
    if (matches.length === 0) return html;
    let done = 0;
    let out = '';
    for (const { start, text: found, patterns } of matches) {
      if (this.#references.length >= maxReferences) break;
      out += `${escapeHtml(text.slice(done, start))}\0R${this.#references.length}\0`;
      this.#references.push({ text: found, patterns });
      done = start + found.length;
    }
    return out + escapeHtml(text.slice(done));
  }

  /** What matched, in order and apart from each other: the first wins, and the longer of two at one place. */
  #matches(text: string): Match[] {
    const all: { start: number; text: string; pattern: number }[] = [];
    this.#finders.forEach((find, pattern) => {
      for (const { start, text: found } of find?.(text) ?? []) {
        if (found !== '') all.push({ start, text: found, pattern });
        if (all.length > maxReferences) break;
      }
    });
    all.sort((a, b) => a.start - b.start || b.text.length - a.text.length || a.pattern - b.pattern);
    const matches: { start: number; text: string; patterns: number[] }[] = [];
    let end = 0;
    for (const { start, text: found, pattern } of all) {
      const last = matches.at(-1);
      if (last && last.start === start && last.text === found) last.patterns.push(pattern);
      else if (start >= end) {
        matches.push({ start, text: found, patterns: [pattern] });
        end = start + found.length;
      }
    }
    return matches;
  }
}
