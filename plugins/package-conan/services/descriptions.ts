/** What a recipe says of itself, as far as it stands there plainly. */
export interface RecipeDescription {
  readonly description?: string;
  readonly license?: string;
  readonly author?: string;
  readonly url?: string;
  readonly homepage?: string;
  readonly topics?: readonly string[];
}

const fields = ['description', 'license', 'author', 'url', 'homepage', 'topics'] as const;

/** Attributes of a class in Python whose values are texts, or tuples of them; it is not run. */
export function readRecipe(text: string): RecipeDescription {
  const found: Record<string, string | readonly string[]> = {};
  for (const line of text.split('\n')) {
    const attribute = /^ {1,8}([a-z]+) *= *(.+)$/.exec(line.slice(0, 4000).trimEnd());
    const name = fields.find((one) => one === attribute?.[1]);
    if (!name || name in found) continue;
    const texts = [...attribute![2]!.matchAll(/"([^"\\]*)"|'([^'\\]*)'/g)].map(([, a, b]) => a ?? b ?? '');
    if (texts.length === 0) continue;
    found[name] = name === 'topics' ? texts : texts.join(', ');
  }
  return found;
}

/** `conaninfo.txt` of a binary. */
export interface BinaryInfo {
  readonly settings: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  readonly requires: readonly string[];
  readonly full_settings: Readonly<Record<string, string>>;
  readonly full_options: Readonly<Record<string, string>>;
  readonly full_requires: readonly string[];
  readonly recipe_hash: string;
  /** The whole text, which the second version of the client reads. */
  readonly content: string;
}

export function readInfo(text: string): BinaryInfo {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    if (section) sections.set(section, (lines = []));
    else if (line) lines.push(line);
  }
  const list = (name: string) => sections.get(name) ?? [];
  const pairs = (name: string) =>
    Object.fromEntries(
      list(name).flatMap((line) => {
        const at = line.indexOf('=');
        return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
      }),
    );
  return {
    settings: pairs('settings'),
    options: pairs('options'),
    requires: list('requires'),
    full_settings: pairs('full_settings'),
    full_options: pairs('full_options'),
    full_requires: list('full_requires'),
    recipe_hash: list('recipe_hash')[0] ?? '',
    content: text,
  };
}
