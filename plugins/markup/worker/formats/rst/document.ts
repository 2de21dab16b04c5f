import { headingId } from '../../markdown/blocks.js';

/** Names of references are compared without case, with one blank between words. */
export const referenceName = (name: string): string => name.trim().toLowerCase().replace(/\s+/g, ' ');

interface Substitution {
  readonly text: string;
  /** Made already, for images. */
  readonly html?: string;
}

/** What a document knows of itself before its text is rendered. */
export class RstDocument {
  readonly targets = new Map<string, string>();
  readonly substitutions = new Map<string, Substitution>();
  /** Forms of section titles in the order in which they came: the first is the first level. */
  readonly adornments: string[] = [];
  readonly #ids = new Map<string, number>();
  readonly #notes = { reference: 0, definition: 0 };
  readonly #numbered = new Map<string, string>();

  headingId(text: string): string {
    return headingId(text, this.#ids);
  }

  /** Level of a title with that form, from 1. */
  levelOf(adornment: string): number {
    let at = this.adornments.indexOf(adornment);
    if (at < 0) at = this.adornments.push(adornment) - 1;
    return Math.min(at + 1, 6);
  }

  /** `#` counts, references and their notes alike; `#name` keeps its number. */
  noteName(label: string, kind: 'reference' | 'definition' = 'reference'): string {
    if (!label.startsWith('#')) return label;
    if (label === '#') return String(++this.#notes[kind]);
    const known = this.#numbered.get(label);
    if (known) return known;
    const number = String(++this.#notes.reference);
    this.#notes.definition = Math.max(this.#notes.definition, Number(number));
    this.#numbered.set(label, number);
    return number;
  }
}
