import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { LanguageTable } from '../services/language-table.js';
import { countLanguages } from '../services/languages.js';

export const lab = Lab.script();
const { describe, it } = lab;

const table = new LanguageTable();

/** Counts files whose contents are given; only those of `.gitattributes` are ever read. */
const count = (files: Readonly<Record<string, string>>) =>
  countLanguages(table, {
    each: async (visit) => {
      for (const [path, text] of Object.entries(files))
        visit({ type: 'blob', mode: '100644', name: path.split('/').at(-1)!, path, oid: path, size: text.length });
    },
    blob: async (oid) => Buffer.from(files[oid]!),
  });

describe('languages of files', () => {
  it('have the colours that people know them by', () => {
    expect(['TypeScript', 'Rust', 'Shell'].map((name) => table.named(name)?.color)).to.equal([
      '#3178c6',
      '#dea584',
      '#89e051',
    ]);
  });

  it('are known by name and by extension, the longer one first', () => {
    const names = {
      'a.ts': 'TypeScript',
      'a.py': 'Python',
      'A.PY': 'Python',
      'a.h': 'C',
      'a.m': 'Objective-C',
      'a.rs': 'Rust',
      'a.go': 'Go',
      'a.pl': 'Perl',
      'a.md': 'Markdown',
      Dockerfile: 'Dockerfile',
      Makefile: 'Makefile',
      'CMakeLists.txt': 'CMake',
      'x.unknown': undefined,
      constructor: undefined,
      'a.__proto__': undefined,
    };
    expect(Object.keys(names).map((name) => [name, table.ofFile(name)?.name])).to.equal(Object.entries(names));
    expect(table.named('objective-c++')?.name).to.equal('Objective-C++');
    expect(table.named('golang')?.name).to.equal('Go');
  });

  it('count code and markup, as the language that they belong to', async () => {
    const files = {
      'a.ts': '12345',
      'b.tsx': '12',
      'c.css': '1',
      'README.md': 'prose',
      'package.json': 'data',
      'a.yml': 'data',
      '.hidden.ts': 'hidden',
      'vendor/x.ts': 'theirs',
      'docs/x.ts': 'documentation',
      'y_pb2.py': 'generated',
      'empty.go': '',
    };
    expect(await count(files)).to.equal({ TypeScript: 7, CSS: 1 });
  });

  it('follow the attributes of a tree, the deepest and last first', async () => {
    const files = {
      '.gitattributes': [
        '# comment',
        '*.inc linguist-language=Pascal',
        'made/** linguist-generated',
        '/docs/** -linguist-documentation',
        'vendor/own.go linguist-vendored=false',
        '*.md linguist-detectable',
        '*.js linguist-detectable=false',
        '"with blank.xyz" linguist-language=visual-basic-.net',
        'src/*/deep[ab].txt linguist-language=Go',
      ].join('\n'),
      'sub/.gitattributes': '*.inc linguist-language=PHP\n*.inc linguist-vendored\nkept.inc !linguist-vendored',
      'a.inc': '1',
      'made/x.go': '22',
      'docs/x.rb': '333',
      'vendor/own.go': '4444',
      'vendor/other.go': '4444',
      'README.md': '55555',
      'a.js': '666666',
      'with blank.xyz': '7777777',
      'src/x/deepa.txt': '88888888',
      'src/x/y/deepa.txt': '9',
      'sub/a.inc': '1',
      'sub/kept.inc': '10',
    };
    expect(await count(files)).to.equal({
      Go: 12,
      'Visual Basic .NET': 7,
      Markdown: 5,
      Ruby: 3,
      PHP: 2,
      Pascal: 1,
    });
  });

  it('cost no more however many patterns and files there are', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `**/a*b*c*${index}*?*/x linguist-language=Go`);
    const files = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`f/${'a/'.repeat(20)}${index}.rb`, 'x']),
    );
    expect(await count({ '.gitattributes': lines.join('\n'), ...files })).to.equal({ Ruby: 20_000 });
  });
});
