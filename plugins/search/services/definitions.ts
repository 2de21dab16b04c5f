/** What a line of code defines, told by how the line begins: cheap, and right often enough to put results in an order. */

const name = String.raw`([\p{L}_$][\p{L}\p{N}_$]*)`;
/** Words that stand before a definition in one language or another. */
const modifiers = String.raw`(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|sealed|open|async|override|virtual|inline|extern|unsafe|partial|data|pub(?:\([\w: ]+\))?)\s+)*`;
const pattern = (words: string, after = '') => new RegExp(`^\\s*${modifiers}(?:${words})\\s+${after}${name}`, 'u');

const classes = 'class|interface|enum|struct|trait|record|object|protocol|union|namespace|module|type';
/** Constants of the file, which are not indented; those within functions are everywhere. */
const constant = new RegExp(`^(?:export\\s+)?(?:declare\\s+)?(?:const|let|var)\\s+${name}`, 'u');

const scripts = [pattern(`${classes}|function\\*?`), constant];
const python = [pattern('class|def')];
const ruby = [pattern('class|module|def', String.raw`(?:self\.)?`)];
const go = [
  pattern('func', String.raw`(?:\([^)]*\)\s*)?`),
  pattern('type'),
  new RegExp(`^(?:const|var)\\s+${name}`, 'u'),
];
const rust = [pattern('fn|struct|enum|trait|type|const|static|mod|union|macro_rules!')];
const jvm = [pattern(`${classes}|fun|func|def|typealias|extension`)];
const php = [pattern('class|interface|trait|enum|function|const')];
const c = [
  pattern(classes),
  new RegExp(`^#\\s*define\\s+${name}`, 'u'),
  // a function begins at the margin and does not end as a call does
  new RegExp(`^[\\p{L}_][\\p{L}\\p{N}_*&:<>, \\t]*[ \\t*&]${name}\\s*\\([^;]*$`, 'u'),
];
const shell = [new RegExp(`^\\s*(?:function\\s+)?${name}\\s*\\(\\)`, 'u'), pattern('function')];
const sql = [
  new RegExp(
    `^\\s*create\\s+(?:\\w+\\s+)*?(?:table|view|index|function|procedure|trigger)\\s+(?:if\\s+not\\s+exists\\s+)?${name}`,
    'iu',
  ),
];
const elixir = [pattern('defmodule|defp?|defmacro')];

const byLanguage: Readonly<Record<string, readonly RegExp[]>> = {
  C: c,
  'C#': [...jvm],
  'C++': c,
  Dart: jvm,
  Elixir: elixir,
  Go: go,
  Groovy: jvm,
  Java: jvm,
  JavaScript: scripts,
  Kotlin: jvm,
  Lua: [pattern('function', String.raw`(?:[\p{L}_][\p{L}\p{N}_]*[.:])?`), pattern('local function')],
  'Objective-C': c,
  PHP: php,
  Python: python,
  Ruby: ruby,
  Rust: rust,
  SQL: sql,
  Scala: jvm,
  Shell: shell,
  Svelte: scripts,
  Swift: jvm,
  TypeScript: scripts,
  Vue: scripts,
};

/** Longer lines are data. */
const maxLine = 300;
const maxNames = 200;
const maxLength = 4000;

/** The name that a line defines. */
export function definitionIn(line: string, language: string | undefined): string | undefined {
  if (line.length > maxLine) return undefined;
  for (const one of byLanguage[language ?? ''] ?? []) {
    const found = one.exec(line)?.[1];
    if (found) return found;
  }
  return undefined;
}

/** Names that a text defines, in small letters, each between line feeds: a name is looked for as `\nname\n`. */
export function definitionsOf(text: string, language: string | undefined): string {
  if (!language || !(language in byLanguage)) return '';
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    const found = definitionIn(line, language);
    if (found) names.add(found.toLowerCase());
    if (names.size === maxNames) break;
  }
  let joined = '\n';
  for (const one of names) if (joined.length + one.length < maxLength) joined += `${one}\n`;
  return names.size ? joined : '';
}
