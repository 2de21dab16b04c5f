/** The languages whose files have an outline; the threads load their parsers. */
const grammarsByExtension = {
  c: 'cpp',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cxx: 'cpp',
  go: 'go',
  h: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  java: 'java',
  js: 'javascript',
  jsx: 'javascript',
  markdown: 'markdown',
  md: 'markdown',
  mjs: 'javascript',
  cts: 'typescript',
  mts: 'typescript',
  php: 'php',
  phtml: 'php',
  py: 'python',
  pyi: 'python',
  rs: 'rust',
  ts: 'typescript',
  tsx: 'tsx',
} as const;

export type SymbolLanguage = (typeof grammarsByExtension)[keyof typeof grammarsByExtension];

/** The language that the outline of a file is read in; undefined: files of this name have none. */
export function symbolLanguageOf(fileName: string): SymbolLanguage | undefined {
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(grammarsByExtension, extension)
    ? grammarsByExtension[extension as keyof typeof grammarsByExtension]
    : undefined;
}
