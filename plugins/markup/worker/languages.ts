import { highlighter } from './libraries.js';

/** Maps, for names of files come from anybody: `constructor` is none of them. */
const byName = new Map(
  Object.entries({
    dockerfile: 'dockerfile',
    makefile: 'makefile',
    gnumakefile: 'makefile',
    'cmakelists.txt': 'cmake',
    gemfile: 'ruby',
    rakefile: 'ruby',
    vagrantfile: 'ruby',
    jenkinsfile: 'groovy',
    '.bashrc': 'bash',
    '.profile': 'bash',
    '.gitconfig': 'ini',
    '.editorconfig': 'ini',
    '.npmrc': 'ini',
    'go.mod': 'go',
    '.babelrc': 'json',
    '.eslintrc': 'json',
  }),
);
const byEnding = new Map(
  Object.entries({
    mjs: 'javascript',
    cjs: 'javascript',
    mts: 'typescript',
    cts: 'typescript',
    tsx: 'typescript',
    h: 'c',
    hh: 'cpp',
    tpp: 'cpp',
    vue: 'xml',
    svelte: 'xml',
    htm: 'xml',
    lock: 'yaml',
    tf: 'ini',
    toml: 'ini',
    conf: 'nginx',
    service: 'ini',
    jsonc: 'json',
    json5: 'json',
    webmanifest: 'json',
    pyi: 'python',
    txt: '',
  }),
);
const byInterpreter = new Map(Object.entries({ sh: 'bash', zsh: 'bash', python3: 'python', node: 'javascript' }));

/** Name of the language as highlight.js knows it, by file name or first line; undefined for plain text. */
export function languageOf(fileName: string, text: string): string | undefined {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1).toLowerCase();
  const named = byName.get(name);
  if (named) return named;
  const end = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  const ended = byEnding.get(end);
  if (ended !== undefined) return ended || undefined;
  if (end && highlighter().getLanguage(end)) return end;
  const interpreter = /^#!.*\b(bash|sh|zsh|python3?|node|perl|ruby|php|lua)\b/.exec(text.slice(0, 120))?.[1];
  if (!interpreter) return undefined;
  return byInterpreter.get(interpreter) ?? interpreter;
}

/** Name of the language that a fence or a directive names, as highlight.js knows it. */
export function languageNamed(name: string): string | undefined {
  const lower = name.toLowerCase();
  const known = byEnding.get(lower) ?? byInterpreter.get(lower) ?? lower;
  return known && highlighter().getLanguage(known) ? known : undefined;
}
