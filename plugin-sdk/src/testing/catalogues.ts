import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import type { Catalogue } from '../language.js';

type Elements = ReturnType<IntlMessageFormat['getAst']>;

const kinds = ['literal', 'argument', 'number', 'date', 'time', 'select', 'plural', 'pound', 'tag'] as const;

/** Placeholders of a message with their kinds: `{name}` is `argument name`, `<b>…</b>` is `tag b`. */
function placeholders(elements: Elements, found = new Set<string>()): Set<string> {
  for (const element of elements) {
    const kind = kinds[element.type];
    if (kind === 'literal' || kind === 'pound') continue;
    const { value, options, children } = element as {
      value: string;
      options?: Readonly<Record<string, { value: Elements }>>;
      children?: Elements;
    };
    // a language may count where another names: {count, number} and {count, plural, …} take the same value
    found.add(`${kind === 'plural' ? 'number' : kind} ${value}`);
    for (const option of Object.values(options ?? {})) placeholders(option.value, found);
    if (children) placeholders(children, found);
  }
  return found;
}

/** Plural forms that a language needs and a message lacks; `other` is checked by the library. */
function missingForms(elements: Elements, tag: string): string[] {
  const missing: string[] = [];
  for (const element of elements) {
    const { options, pluralType, children } = element as {
      options?: Readonly<Record<string, { value: Elements }>>;
      pluralType?: Intl.PluralRuleType;
      children?: Elements;
    };
    if (options && kinds[element.type] === 'plural') {
      const needed = new Intl.PluralRules(tag, { type: pluralType }).resolvedOptions().pluralCategories;
      // the few languages that have a form for millions say it as they say other numbers
      for (const form of needed) if (!(form in options) && form !== 'many') missing.push(form);
    }
    for (const option of Object.values(options ?? {})) missing.push(...missingForms(option.value, tag));
    if (children) missing.push(...missingForms(children, tag));
  }
  return missing;
}

/**
 * What is wrong with a catalogue: messages that cannot be read, keys that a language lacks or has too many,
 * placeholders that differ from the English ones, plural forms that are missing. A sentence each; none is right.
 */
export function catalogueProblems({ name, languages }: Catalogue): string[] {
  const problems: string[] = [];
  const english = languages.en ?? {};
  const read = (tag: string, key: string, text: string): Elements | undefined => {
    try {
      return new IntlMessageFormat(text, tag).getAst();
    } catch (error) {
      problems.push(`${name}: ${tag} "${key}" cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  };
  for (const [tag, texts] of Object.entries(languages)) {
    for (const key of Object.keys(english))
      if (!Object.hasOwn(texts, key)) problems.push(`${name}: ${tag} lacks "${key}"`);
    for (const [key, text] of Object.entries(texts)) {
      const message = read(tag, key, text);
      if (!message) continue;
      if (text.trim() === '') problems.push(`${name}: ${tag} "${key}" is empty`);
      for (const form of missingForms(message, tag)) problems.push(`${name}: ${tag} "${key}" lacks the form "${form}"`);
      if (tag === 'en') continue;
      const source = Object.hasOwn(english, key) ? english[key]! : undefined;
      if (source === undefined) {
        problems.push(`${name}: ${tag} has "${key}", which English does not`);
        continue;
      }
      const expected = read('en', key, source);
      if (!expected) continue;
      const [ours, theirs] = [placeholders(expected), placeholders(message)].map((set) => [...set].sort().join(', '));
      if (ours !== theirs) problems.push(`${name}: ${tag} "${key}" has {${theirs}} where English has {${ours}}`);
    }
  }
  return problems;
}

function* sourcesOf(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['dist', 'node_modules', 'test', 'texts'].includes(entry.name)) yield* sourcesOf(path);
    } else if (/\.tsx?$/.test(entry.name)) yield readFileSync(path, 'utf8');
  }
}

/**
 * Keys that no source in the folder names. A key is used when it stands there as a string, or when a template like
 * `` `role.${role}` `` can make it.
 */
export function unusedTexts({ languages }: Catalogue, folder: string): string[] {
  const text = [...sourcesOf(folder)].join('\n');
  const named = new Set([...text.matchAll(/'([\w.-]+)'|"([\w.-]+)"/g)].map(([, single, double]) => single ?? double));
  const patterns = [...text.matchAll(/`([\w.-]*\$\{[^`]*)`/g)]
    .map(([, template]) => template!.split(/\$\{[^}]*\}/))
    // a template with nothing but values would make every key
    .filter((parts) => parts[0] !== '' && parts.every((part) => /^[\w.-]*$/.test(part)))
    .map((parts) => new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[\\w.-]+')}$`));
  return Object.keys(languages.en ?? {}).filter(
    (key) => !named.has(key) && !patterns.some((pattern) => pattern.test(key)),
  );
}
