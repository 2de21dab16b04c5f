/** Ignore files for a first commit, by name. Own words; one line an entry. */
const lists: Readonly<Record<string, string>> = {
  C: '*.o *.ko *.obj *.elf *.a *.lib *.so *.so.* *.dll *.exe *.out *.d *.dSYM/',
  'C++': '*.o *.obj *.a *.lib *.so *.dylib *.dll *.exe *.out *.gch *.pch build/',
  CMake:
    'CMakeCache.txt CMakeFiles/ CMakeUserPresets.json cmake_install.cmake install_manifest.txt CTestTestfile.cmake build/',
  Dart: '.dart_tool/ .packages build/ .flutter-plugins .flutter-plugins-dependencies',
  Elixir: '/_build /cover /deps /doc erl_crash.dump *.ez *.beam',
  Go: '*.exe *.test *.out *.prof go.work go.work.sum /bin/ /vendor/ coverage.txt',
  Haskell: 'dist dist-newstyle .stack-work/ *.hi *.o *.chi *.chs.h .cabal-sandbox/',
  Java: '*.class *.jar *.war *.ear *.log hs_err_pid* replay_pid* target/ build/ .gradle/',
  Kotlin: '*.class *.jar *.log .gradle/ .kotlin/ build/ out/',
  Node: 'node_modules/ npm-debug.log* yarn-error.log* .npm .eslintcache *.tsbuildinfo dist/ coverage/ .env .env.*',
  Perl: 'blib/ _build/ cover_db/ inc/ Build Build.bat MYMETA.* Makefile pm_to_blib',
  PHP: '/vendor/ composer.phar *.cache .phpunit.result.cache .env',
  Python:
    '__pycache__/ *.py[cod] *.so build/ dist/ *.egg-info/ .eggs/ .venv/ venv/ .tox/ .pytest_cache/ .coverage htmlcov/ .mypy_cache/ .ruff_cache/',
  R: '.Rhistory .RData .Ruserdata .Rproj.user/ *.Rcheck/ vignettes/*.html',
  Ruby: '*.gem /.bundle/ /vendor/bundle/ /coverage/ /pkg/ /tmp/ .byebug_history .ruby-lsp/',
  Rust: '/target/ **/*.rs.bk *.pdb',
  Scala: '*.class *.log target/ .bsp/ .metals/ .bloop/',
  Swift: '.build/ DerivedData/ *.xcuserstate xcuserdata/ Packages/ .swiftpm/',
  TeX: '*.aux *.bbl *.blg *.fdb_latexmk *.fls *.log *.out *.synctex.gz *.toc *.lof *.lot',
  Terraform: '.terraform/ *.tfstate *.tfstate.* crash.log *.tfvars .terraform.lock.hcl',
  VisualStudioCode: '.vscode/* !.vscode/settings.json !.vscode/launch.json *.code-workspace .history/',
  macOS: '.DS_Store ._* .Spotlight-V100 .Trashes .fseventsd',
  Windows: 'Thumbs.db Desktop.ini $RECYCLE.BIN/ *.lnk',
  Linux: '*~ .fuse_hidden* .directory .Trash-* .nfs*',
};

export const gitignoreTemplates: ReadonlyMap<string, string> = new Map(
  Object.entries(lists)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, entries]) => [name, `${entries.split(' ').join('\n')}\n`]),
);
