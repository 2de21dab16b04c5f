/**
 * Texts as the index has them, the same on both engines: words in small letters without accents, compounds also by their
 * parts, and pairs of neighbours in scripts without spaces, so that any part of such a text is found. The mark before each
 * term keeps MySQL from leaving out short and frequent words.
 */

const mark = 'zq';
const maxTermLength = 40;
const maxParts = 6;
/** Characters of a text that are looked at. */
const maxTextLength = 64 * 1024;
const maxClauses = 20;

const scripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const dense = scripts.map((script) => `\\p{Script=${script}}`).join('') + 'ー々';
const segments = new RegExp(`[${dense}]+|(?:(?![${dense}])[\\p{L}\\p{N}_])+`, 'gu');
const isDense = new RegExp(`^[${dense}]`, 'u');
const humps = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|\p{N}+|[^\p{Lu}\p{Ll}\p{N}_]+/gu;

/** Without accents; marks that make another letter of a kana stay. */
const plain = (text: string): string =>
  text
    .slice(0, maxTextLength)
    .normalize('NFKD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '')
    .normalize('NFC');

/** MySQL does not take characters beyond the first plane for letters. */
const term = (word: string): string =>
  mark +
  [...word.toLowerCase()]
    .map((letter) => ((letter.codePointAt(0) ?? 0) > 0xffff ? `x${letter.codePointAt(0)!.toString(16)}` : letter))
    .join('')
    .slice(0, maxTermLength);

const pairs = (letters: readonly string[]): string[] =>
  letters.slice(0, -1).map((letter, index) => letter + letters[index + 1]!);

/** A compound by its parts; none for what is one word, or rather a number than a name. */
function partsOf(segment: string): string[] {
  const parts = segment.match(humps) ?? [];
  return parts.length > 1 && parts.length <= maxParts ? parts : [];
}

const joined = (segment: string): string => segment.replaceAll('_', '');

function termsOfSegment(segment: string): string[] {
  if (isDense.test(segment)) {
    const letters = [...segment];
    return [...pairs(letters), letters.at(-1)!].map(term);
  }
  const whole = joined(segment);
  // each end of a compound begins with one of its parts
  const ends = partsOf(segment).map((_part, at, parts) => parts.slice(at).join(''));
  return whole ? [whole, ...ends.slice(1)].map(term) : [];
}

/** All terms of a text in its order, separated by spaces. */
export const termsOf = (text: string): string => (plain(text).match(segments) ?? []).flatMap(termsOfSegment).join(' ');

/** Terms that follow one another; the last one may go on. */
interface Phrase {
  readonly terms: readonly string[];
  readonly isPrefix: boolean;
}
/** One of these alternatives, with all of its phrases. */
export type Clause = readonly (readonly Phrase[])[];

function clauseOf(segment: string): Clause | undefined {
  const prefix = (word: string): Phrase => ({ terms: [term(word)], isPrefix: true });
  if (isDense.test(segment)) {
    const letters = [...segment];
    return letters.length === 1 ? [[prefix(segment)]] : [[{ terms: pairs(letters).map(term), isPrefix: false }]];
  }
  const whole = joined(segment);
  if (!whole) return undefined;
  const parts = partsOf(segment);
  return parts.length ? [[prefix(whole)], parts.map(prefix)] : [[prefix(whole)]];
}

/** How many phrases are looked for in a text, alternatives included. */
export const phrasesOf = (clauses: readonly Clause[]): number => clauses.flat(2).length;

/** What must all occur, each once; empty where nothing that was typed can be looked for. */
export function clausesOf(text: string): Clause[] {
  const clauses = new Map<string, Clause>();
  const add = (clause: Clause) => {
    if (clauses.size < maxClauses) clauses.set(JSON.stringify(clause), clause);
  };
  for (const [, quoted, open] of plain(text).matchAll(/"([^"]*)"|([^"]+)/gu)) {
    if (quoted !== undefined) {
      const terms = (quoted.match(segments) ?? []).flatMap(termsOfSegment);
      if (terms.length) add([[{ terms, isPrefix: false }]]);
    } else
      for (const segment of open!.match(segments) ?? []) {
        const clause = clauseOf(segment);
        if (clause) add(clause);
      }
  }
  return [...clauses.values()];
}

/** Terms by which SQLite finds what belongs to a type of subject and a repository. */
export const subjectTypeTerm = (subjectType: string): string => `${mark}f${subjectType.replace(/[^a-z0-9]/g, '')}`;
export const repositoryTerm = (repositoryId: number): string => `${mark}r${repositoryId}`;

/** As FTS5 takes it. */
export function forSqlite(
  clauses: readonly Clause[],
  { subjectTypes, repositoryId }: { readonly subjectTypes: readonly string[]; readonly repositoryId?: number },
): string {
  const phrase = ({ terms, isPrefix }: Phrase) => `"${terms.join(' ')}"${isPrefix ? ' *' : ''}`;
  const text = clauses
    .map((clause) => `(${clause.map((all) => `(${all.map(phrase).join(' AND ')})`).join(' OR ')})`)
    .join(' AND ');
  const words = subjectTypes.map(subjectTypeTerm).join(' OR ');
  const subjectType = subjectTypes.length > 1 ? `(${words})` : words;
  const scope = [subjectType, ...(repositoryId === undefined ? [] : [repositoryTerm(repositoryId)])];
  return `{title_terms body_terms} : (${text}) AND scope : (${scope.join(' AND ')})`;
}

/** As MySQL and MariaDB take it in their boolean mode. */
export function forMySql(clauses: readonly Clause[]): string {
  const phrase = ({ terms, isPrefix }: Phrase) =>
    terms.length > 1 ? `"${terms.join(' ')}"` : `${terms[0]}${isPrefix ? '*' : ''}`;
  const alternative = (all: readonly Phrase[]) =>
    all.length > 1 ? `(${all.map((one) => `+${phrase(one)}`).join(' ')})` : phrase(all[0]!);
  return clauses
    .map((clause) => (clause.length > 1 ? `+(${clause.map(alternative).join(' ')})` : `+${alternative(clause[0]!)}`))
    .join(' ');
}

/** The same as a condition on the terms of one document. */
export function scanOf(
  clauses: readonly Clause[],
  engine: 'sqlite' | 'mysql',
): { readonly sql: string; readonly bindings: readonly string[] } {
  const around = (column: string) => (engine === 'sqlite' ? `' ' || ${column} || ' '` : `concat(' ', ${column}, ' ')`);
  const bindings: string[] = [];
  const phrase = ({ terms, isPrefix }: Phrase) => {
    const text = ` ${terms.join(' ')}${isPrefix ? '' : ' '}`;
    bindings.push(text, text);
    return `(instr(${around('title_terms')}, ?) > 0 or instr(${around('body_terms')}, ?) > 0)`;
  };
  const sql = clauses
    .map((clause) => `(${clause.map((all) => `(${all.map(phrase).join(' and ')})`).join(' or ')})`)
    .join(' and ');
  return { sql, bindings };
}
