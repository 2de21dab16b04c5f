import { highlighter } from './libraries.js';

const byName: Readonly<Record<string, string>> = {
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
};
const byEnding: Readonly<Record<string, string>> = {
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
};

/** Name of the language as highlight.js knows it, by file name or first line; undefined for plain text. */
export function languageOf(fileName: string, text: string): string | undefined {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1).toLowerCase();
  const named = byName[name];
  if (named) return named;
  const end = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  if (end in byEnding) return byEnding[end] || undefined;
  if (end && highlighter().getLanguage(end)) return end;
  const interpreter = /^#!.*\b(bash|sh|zsh|python3?|node|perl|ruby|php|lua)\b/.exec(text.slice(0, 120))?.[1];
  if (!interpreter) return undefined;
  return { sh: 'bash', zsh: 'bash', python3: 'python', node: 'javascript' }[interpreter] ?? interpreter;
}
