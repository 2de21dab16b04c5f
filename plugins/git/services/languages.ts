/** Languages by name or extension of files: a short table of what is common, data and prose left out. */
const byExtension = new Map(
  Object.entries({
    Ada: 'adb ads',
    'Apache Groovy': '',
    Assembly: 'asm s',
    Astro: 'astro',
    Awk: 'awk',
    Batchfile: 'bat cmd',
    C: 'c h',
    'C#': 'cs',
    'C++': 'cc cpp cxx hpp hh hxx c++',
    Clojure: 'clj cljs cljc',
    CMake: 'cmake',
    COBOL: 'cob cbl',
    CoffeeScript: 'coffee',
    'Common Lisp': 'lisp lsp',
    Crystal: 'cr',
    CSS: 'css',
    Cuda: 'cu cuh',
    Cython: 'pyx pxd',
    D: 'd',
    Dart: 'dart',
    Elixir: 'ex exs',
    Elm: 'elm',
    'Emacs Lisp': 'el',
    Erlang: 'erl hrl',
    'F#': 'fs fsx fsi',
    Fortran: 'f f90 f95 for',
    GDScript: 'gd',
    GLSL: 'glsl vert frag',
    Go: 'go',
    Groovy: 'groovy gradle',
    Haskell: 'hs lhs',
    HCL: 'hcl tf',
    HTML: 'html htm xhtml',
    Java: 'java',
    JavaScript: 'js mjs cjs jsx',
    Julia: 'jl',
    'Jupyter Notebook': 'ipynb',
    Kotlin: 'kt kts',
    Less: 'less',
    Lua: 'lua',
    Makefile: 'mk mak',
    MATLAB: 'matlab',
    'Objective-C': 'm',
    'Objective-C++': 'mm',
    OCaml: 'ml mli',
    Nim: 'nim',
    Nix: 'nix',
    Pascal: 'pas dpr',
    Perl: 'pl pm',
    PHP: 'php phtml',
    PLpgSQL: 'plpgsql',
    PowerShell: 'ps1 psm1 psd1',
    Prolog: 'pro prolog',
    PureScript: 'purs',
    Python: 'py pyw pyi',
    QML: 'qml',
    R: 'r',
    Racket: 'rkt',
    Raku: 'raku rakumod',
    Ruby: 'rb rake gemspec',
    Rust: 'rs',
    Sass: 'sass',
    Scala: 'scala sc',
    Scheme: 'scm ss',
    SCSS: 'scss',
    Shell: 'sh bash zsh ksh',
    Smalltalk: 'st',
    Solidity: 'sol',
    Starlark: 'bzl star',
    Stylus: 'styl',
    Svelte: 'svelte',
    Swift: 'swift',
    SystemVerilog: 'sv svh',
    Tcl: 'tcl',
    TeX: 'tex sty cls',
    Thrift: 'thrift',
    TypeScript: 'ts mts cts tsx',
    V: 'vsh',
    Vala: 'vala',
    Verilog: 'v',
    VHDL: 'vhd vhdl',
    'Vim Script': 'vim',
    'Visual Basic .NET': 'vb',
    Vue: 'vue',
    WebAssembly: 'wat',
    WGSL: 'wgsl',
    Zig: 'zig',
  }).flatMap(([language, extensions]) =>
    extensions
      .split(' ')
      .filter(Boolean)
      .map((extension) => [extension, language] as const),
  ),
);
const byName = new Map(
  Object.entries({
    Makefile: 'Makefile',
    GNUmakefile: 'Makefile',
    makefile: 'Makefile',
    Dockerfile: 'Dockerfile',
    Containerfile: 'Dockerfile',
    Rakefile: 'Ruby',
    Gemfile: 'Ruby',
    'CMakeLists.txt': 'CMake',
    Jenkinsfile: 'Groovy',
    BUILD: 'Starlark',
    'BUILD.bazel': 'Starlark',
    Vagrantfile: 'Ruby',
    Justfile: 'Just',
    justfile: 'Just',
  }),
);
const vendored =
  /(^|\/)(vendor|node_modules|third[-_]?party|bower_components|dist|\.git|\.vscode|\.idea|docs?|[Dd]ocumentation|extern(al)?s?)\/|\.min\.(js|css)$|(^|\/)jquery[^/]*\.js$|\.pb\.go$|_pb2\.py$|(^|\/)\./;

export function languageOf(path: string): string | undefined {
  if (vendored.test(path)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const known = byName.get(name);
  if (known) return known;
  const dot = name.lastIndexOf('.');
  return dot < 1 ? undefined : byExtension.get(name.slice(dot + 1).toLowerCase());
}

/** Bytes by language; the most first. */
export class LanguageCount {
  private readonly sums = new Map<string, number>();

  add(path: string, size: number): void {
    const language = size > 0 ? languageOf(path) : undefined;
    if (language) this.sums.set(language, (this.sums.get(language) ?? 0) + size);
  }

  result(): Record<string, number> {
    return Object.fromEntries([...this.sums].sort((a, b) => b[1] - a[1]));
  }
}
