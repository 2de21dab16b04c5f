import { createRequire } from 'node:module';
import type { ComponentChildren, VNode } from 'preact';
import { filled, isKnown, type MessageNode, type MessageValues } from './messages.js';

/** A text that is made when its language is known: in pages when they are rendered, in English for logs and the API. */
export type Text = string | (() => string);

/** What the placeholders of a message are filled with. Numbers that people read are `{count, number}` in the message. */
export type TextValues = Readonly<Record<string, string | number | Date | (() => string)>>;

/** As {@link TextValues}, with elements; a function stands for a pair of tags: `<link>text</link>`. */
export type RichValues = Readonly<
  Record<string, string | number | Date | VNode | ((children: ComponentChildren) => VNode | string)>
>;

/** All languages of one set of texts: by language tag, then by key. `en` is the source. */
export interface Catalogue {
  readonly name: string;
  readonly languages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Texts that a plugin adds to catalogues of others: by name of the catalogue, then by key. */
export type AddedTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Message {
  text(values: TextValues): string;
  rich(values: RichValues): ComponentChildren;
}

/** One language of one host, with the messages that were used in it, compiled. */
export class Language {
  private readonly tables = new Map<Catalogue, Map<string, string | Message>>();

  /** `tag` as in `<html lang>`: `en-US`, `de-DE`, `zh-CN`; `added`: texts of language packs. */
  constructor(
    readonly tag: string,
    private readonly added: readonly AddedTexts[] = [],
  ) {}

  /** A message without placeholders is a look-up. */
  text(catalogue: Catalogue, key: string, values?: TextValues): string {
    const message = this.message(catalogue, key);
    return typeof message === 'string' ? message : message.text(values ?? {});
  }

  rich(catalogue: Catalogue, key: string, values: RichValues): ComponentChildren {
    const message = this.message(catalogue, key);
    return typeof message === 'string' ? message : message.rich(values);
  }

  private message(catalogue: Catalogue, key: string): string | Message {
    let table = this.tables.get(catalogue);
    if (!table) this.tables.set(catalogue, (table = new Map()));
    let message = table.get(key);
    if (message === undefined) table.set(key, (message = this.compile(catalogue, key)));
    return message;
  }

  private compile(catalogue: Catalogue, key: string): string | Message {
    const { name, languages } = catalogue;
    for (const texts of this.added) {
      const own = texts[name];
      if (own && Object.hasOwn(own, key)) return compiled(own[key]!, this.tag);
    }
    for (const tag of [this.tag, this.tag.split('-', 1)[0]!]) {
      const own = languages[tag];
      if (own && Object.hasOwn(own, key)) return compiled(own[key]!, this.tag);
    }
    const english = languages.en;
    if (english && Object.hasOwn(english, key)) return compiled(english[key]!, 'en-US');
    if (state.strict) throw new Error(`the catalogue ${name} has no text "${key}"`);
    return key;
  }
}

/** Shared by all installed copies of the SDK, because each plugin may bring its own. */
interface State {
  current: Language | undefined;
  strict: boolean;
}
const state: State = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.language')] ??= {
  current: undefined,
  strict: false,
}) as State;

/** For logs, the API and whoever asks outside of a page. */
const english = new Language('en-US');

/**
 * Runs `work` with `language` as the one that texts, numbers and dates are made in. `work` must be synchronous: the
 * scope ends when it returns (docs/decisions/0014).
 */
export function inLanguage<T>(language: Language, work: () => T): T {
  const before = state.current;
  state.current = language;
  try {
    const result = work();
    if (state.strict && result instanceof Promise)
      throw new Error('inLanguage ends when its work returns: do the asynchronous part before');
    return result;
  } finally {
    state.current = before;
  }
}

/** In English whatever page is being made. */
export const inEnglish = <T>(work: () => T): T => inLanguage(english, work);

/** The language of the page that is being rendered; English outside of one, which is an error in tests. */
export function currentLanguage(what = 'a text'): Language {
  if (state.current) return state.current;
  if (state.strict)
    throw new Error(
      `${what} is made while no page is being rendered: use it in a component or in webPage(() => …), or hand on t.later(…)`,
    );
  return english;
}

/** For tests: makes texts outside of a page an error from now on, in this process. */
export function strictTexts(strict = true): void {
  state.strict = strict;
}

/** The text in the language of the page that is being rendered. */
export const textOf = (text: Text): string => (typeof text === 'string' ? text : text());

/** The text in English: for logs, answers of the API and comparisons. */
export const englishOf = (text: Text): string => (typeof text === 'string' ? text : inEnglish(text));

const library = createRequire(import.meta.url);
type Formats = typeof import('intl-messageformat');
let formats: Formats | undefined;
/** Loaded with the first message that needs it: most starts of a process never do. */
const loadFormats = (): Formats => (formats ??= library('intl-messageformat') as Formats);

function compiled(pattern: string, tag: string): string | Message {
  if (!/[{<]|''/.test(pattern)) return pattern;
  const { IntlMessageFormat } = loadFormats();
  const format = new IntlMessageFormat(pattern, tag);
  const nodes = format.getAst() as readonly MessageNode[];
  const fill = isKnown(nodes)
    ? (values: MessageValues) => filled(nodes, values, tag)
    : (values: MessageValues) => format.format(values as never) as ComponentChildren;
  const orPattern = <T>(make: () => T): T | string => {
    try {
      return make();
    } catch (error) {
      if (state.strict) throw error;
      return pattern;
    }
  };
  return {
    text: (values) => orPattern(() => String(fill(resolved(values)))),
    rich: (values) => orPattern(() => fill(values as MessageValues)),
  };
}

function resolved(values: TextValues): MessageValues {
  const made: Record<string, string | number | Date> = {};
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) made[name] = typeof value === 'function' ? value() : value;
  return made;
}
