import { createRequire } from 'node:module';
import type * as Languages from './language-data.js';
import type { KnownLanguage } from './language-data.js';

const require = createRequire(import.meta.url);

/**
 * Extensions that several languages share and that contents alone could tell apart: the one that is most common.
 * What is not named here belongs to the language that names it first.
 */
const preferred: Readonly<Record<string, string>> = {
  '.as': 'ActionScript',
  '.asc': 'AsciiDoc',
  '.asm': 'Assembly',
  '.bas': 'BASIC',
  '.cgi': 'Perl',
  '.cl': 'Common Lisp',
  '.cls': 'TeX',
  '.cs': 'C#',
  '.d': 'D',
  '.e': 'Eiffel',
  '.es': 'JavaScript',
  '.ex': 'Elixir',
  '.f': 'Fortran',
  '.fcgi': 'Perl',
  '.for': 'Fortran',
  '.fs': 'F#',
  '.gd': 'GDScript',
  '.gs': 'JavaScript',
  '.h': 'C',
  '.hh': 'C++',
  '.html': 'HTML',
  '.inc': 'PHP',
  '.jq': 'jq',
  '.jsx': 'JavaScript',
  '.l': 'Lex',
  '.lisp': 'Common Lisp',
  '.ls': 'LiveScript',
  '.lua': 'Lua',
  '.m': 'Objective-C',
  '.md': 'Markdown',
  '.ml': 'OCaml',
  '.mm': 'Objective-C++',
  '.mod': 'Modula-2',
  '.mojo': 'Mojo',
  '.n': 'Nemerle',
  '.nb': 'Wolfram Language',
  '.odin': 'Odin',
  '.pas': 'Pascal',
  '.pc': 'pkg-config',
  '.php': 'PHP',
  '.pkl': 'Pkl',
  '.pl': 'Perl',
  '.plist': 'XML Property List',
  '.pm': 'Perl',
  '.pp': 'Puppet',
  '.pro': 'Prolog',
  '.properties': 'Java Properties',
  '.py': 'Python',
  '.q': 'q',
  '.r': 'R',
  '.rb': 'Ruby',
  '.re': 'Reason',
  '.rs': 'Rust',
  '.s': 'Assembly',
  '.sc': 'Scala',
  '.scd': 'SuperCollider',
  '.sch': 'Scheme',
  '.sh': 'Shell',
  '.sql': 'SQL',
  '.srt': 'SubRip Text',
  '.st': 'Smalltalk',
  '.star': 'Starlark',
  '.sty': 'TeX',
  '.t': 'Perl',
  '.tex': 'TeX',
  '.toc': 'TeX',
  '.ts': 'TypeScript',
  '.tsp': 'TypeSpec',
  '.tsx': 'TypeScript',
  '.txt': 'Text',
  '.v': 'Verilog',
  '.vb': 'Visual Basic .NET',
  '.vert': 'GLSL',
  '.w': 'CWeb',
  '.xml': 'XML',
  '.yaml': 'YAML',
  '.yml': 'YAML',
  '.yy': 'Yacc',
};

/** Languages by names of files; the table of `linguist-languages` is read with the first question. */
export class LanguageTable {
  #loaded: Loaded | undefined;

  /** By name, else by extension, the longest first (`.d.ts` before `.ts`). */
  ofFile(name: string): KnownLanguage | undefined {
    const { byFile, byExtension } = this.#table();
    const known = byFile.get(name);
    if (known) return known;
    const lower = name.toLowerCase();
    for (let dot = lower.indexOf('.', 1); dot > 0; dot = lower.indexOf('.', dot + 1)) {
      const language = byExtension.get(lower.slice(dot));
      if (language) return language;
    }
    return undefined;
  }

  /** By its name or another name that people use, whatever the case; blanks may be hyphens (`.gitattributes`). */
  named(name: string): KnownLanguage | undefined {
    return this.#table().byName.get(keyOf(name));
  }

  #table(): Loaded {
    return (this.#loaded ??= tableOf((require('./language-data.js') as typeof Languages).knownLanguages));
  }
}

interface Loaded {
  readonly byFile: ReadonlyMap<string, KnownLanguage>;
  readonly byExtension: ReadonlyMap<string, KnownLanguage>;
  readonly byName: ReadonlyMap<string, KnownLanguage>;
}

const keyOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');

function tableOf(languages: readonly KnownLanguage[]): Loaded {
  const byFile = new Map<string, KnownLanguage>();
  const byName = new Map<string, KnownLanguage>();
  const candidates = new Map<string, KnownLanguage[]>();
  for (const language of languages) {
    for (const file of language.filenames) if (!byFile.has(file)) byFile.set(file, language);
    for (const alias of language.aliases) if (!byName.has(keyOf(alias))) byName.set(keyOf(alias), language);
    for (const extension of language.extensions) {
      const key = extension.toLowerCase();
      candidates.set(key, [...(candidates.get(key) ?? []), language]);
    }
  }
  for (const language of languages) byName.set(keyOf(language.name), language);
  const byExtension = new Map(
    [...candidates].map(([extension, found]) => {
      const name = Object.hasOwn(preferred, extension) ? preferred[extension] : undefined;
      const own = found.find(({ extensions }) => extensions[0] === extension);
      return [extension, (name && byName.get(keyOf(name))) || own || found[0]!] as const;
    }),
  );
  return { byFile, byExtension, byName };
}
