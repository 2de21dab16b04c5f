import { compileGlob, isGlob, type Matcher } from '@mortise/plugin-sdk';

/** What `.gitattributes` say of a file that is counted; undefined where they say nothing. */
interface LanguageAttributes {
  readonly language?: string;
  readonly vendored?: boolean;
  readonly generated?: boolean;
  readonly documentation?: boolean;
  readonly detectable?: boolean;
}

interface Rule {
  readonly folder: string;
  /** Compared with the path below the folder, else with the last name alone. */
  readonly isPath: boolean;
  readonly pattern: Matcher;
  readonly isSimple: boolean;
  readonly values: LanguageAttributes;
}

/** More are not looked at: each file is compared with each, and patterns with more than a star at an end cost more. */
const maxRules = 50;
const maxComparisons = 100_000;

/**
 * The attributes `linguist-language`, `-vendored`, `-generated`, `-documentation` and `-detectable` (gitattributes(5);
 * `gitlab-language` is taken too). Of several lines the last one that says something counts, in the deepest folder.
 */
export class AttributeFiles {
  readonly #rules: Rule[] = [];
  #left = maxComparisons;

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** `path` of the file `.gitattributes`; those of outer folders first. */
  add(path: string, text: string): void {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    for (const line of text.split('\n')) {
      if (this.#rules.length >= maxRules) return;
      const rule = ruleOf(folder, line.trim());
      if (rule) this.#rules.push(rule);
    }
  }

  of(path: string): LanguageAttributes {
    let attributes: LanguageAttributes | undefined;
    for (const { folder, isPath, isSimple, pattern, values } of this.#rules) {
      if (!path.startsWith(folder) || (!isSimple && this.#left-- <= 0)) continue;
      if (pattern.matches(isPath ? path.slice(folder.length) : path.slice(path.lastIndexOf('/') + 1)))
        attributes = { ...attributes, ...values };
    }
    return attributes ?? none;
  }
}

const none: LanguageAttributes = {};
const switches = new Set(['vendored', 'generated', 'documentation', 'detectable']);

function ruleOf(folder: string, line: string): Rule | undefined {
  if (line.startsWith('#') || !/(linguist|gitlab)-/.test(line)) return undefined;
  const [, quoted, plain, rest = ''] = /^(?:"((?:[^"\\]|\\.)*)"|(\S+))\s+(.*)$/.exec(line) ?? [];
  const glob = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  if (!glob) return undefined;
  const values: { -readonly [key in keyof LanguageAttributes]: LanguageAttributes[key] } = {};
  for (const word of rest.split(/\s+/)) {
    const [, sign = '', name = '', value] = /^([-!]?)(?:linguist|gitlab)-([a-z]+)(?:=(.*))?$/.exec(word) ?? [];
    if (name === 'language') values.language = sign ? undefined : value?.split('?')[0];
    else if (switches.has(name))
      values[name as 'vendored'] = sign === '!' ? undefined : sign !== '-' && value !== 'false' && value !== '0';
  }
  const path = glob.replace(/^\//, '');
  const simple = simpleMatcher(path);
  const pattern = simple ?? compileGlob(path);
  return pattern && { folder, isPath: glob.includes('/'), pattern, isSimple: Boolean(simple), values };
}

/** Names, `*.ending` and `folder/**`, which most lines are. */
function simpleMatcher(glob: string): Matcher | undefined {
  if (!isGlob(glob)) return { matches: (text) => text === glob };
  const [, ending] = /^\*(\.[^*?[\]{}\\/]+)$/.exec(glob) ?? [];
  if (ending) return { matches: (text) => text.endsWith(ending) };
  const [, folder] = /^([^*?[\]{}\\]+\/)\*\*$/.exec(glob) ?? [];
  return folder ? { matches: (text) => text.startsWith(folder) } : undefined;
}
