import { readdirSync, readFileSync } from 'node:fs';
import { registerCatalogue } from './catalogue-registry.js';
import type { ComponentChildren } from 'preact';
import { currentLanguage, type Catalogue, type RichValues, type TextValues } from './language.js';

/** The same keys in another language; a missing or an unknown one does not compile. */
export type Translation<E extends Readonly<Record<string, string>>> = Readonly<Record<keyof E & string, string>>;

type Filled<M> = M extends `${string}{${string}` ? [values: TextValues] : string extends M ? [values?: TextValues] : [];

/** Gives texts of one catalogue in the language of the page that is being rendered. */
export interface Texts<E extends Readonly<Record<string, string>>> {
  /** Only within a component, or a function that the kernel calls while it renders; elsewhere use `later`. */
  <K extends keyof E & string>(key: K, ...values: Filled<E[K]>): string;
  /** For labels at registration, titles of pages and errors: the text is made when its language is known. */
  later<K extends keyof E & string>(key: K, ...values: Filled<E[K]>): () => string;
  /** With elements among the values; pairs of tags in the message are functions there. */
  rich<K extends keyof E & string>(key: K, values: RichValues): ComponentChildren;
  readonly catalogue: Catalogue;
}

type Languages = Record<string, Readonly<Record<string, string>>>;

/** The catalogues `de.json`, `zh-CN.json` … of a folder, each read when its language is first asked for. */
function languagesIn(folder: URL): Languages {
  const languages: Languages = {};
  for (const file of readdirSync(folder)) {
    const [, tag] = /^([a-z]{2,3}(?:-[A-Z]{2})?)\.json$/.exec(file) ?? [];
    if (tag === undefined) continue;
    let texts: Languages[string] | undefined;
    const read = () => (texts ??= JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Languages[string]);
    Object.defineProperty(languages, tag, { get: read, enumerable: true });
  }
  return languages;
}

/**
 * A plugin's texts: in English, then the same in other languages by tag (`de`, `zh-CN`), or the folder of their catalogues
 * (`de.json`, `zh-CN.json`), which are read when they are needed. Messages are ICU: `{name}`,
 * `{count, plural, one {# file} other {# files}}`, `{at, date, long}`. The name is the plugin's; language packs use it.
 */
export function defineTexts<const E extends Readonly<Record<string, string>>>(
  name: string,
  english: E,
  languages: Readonly<Record<string, Translation<E>>> | URL = {},
): Texts<E> {
  const others: Languages = languages instanceof URL ? languagesIn(languages) : { ...languages };
  const catalogue: Catalogue = Object.freeze({ name, languages: Object.assign(others, { en: english }) });
  registerCatalogue(catalogue);
  const what = `a text of ${name}`;
  const text = (key: string, values?: TextValues): string => currentLanguage(what).text(catalogue, key, values);
  return Object.assign(text, {
    later: (key: string, values?: TextValues) => () => text(key, values),
    rich: (key: string, values: RichValues) => currentLanguage(what).rich(catalogue, key, values),
    catalogue,
  }) as Texts<E>;
}
