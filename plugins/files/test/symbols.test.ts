import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { symbolLanguageOf } from '../services/symbols/symbol-languages.js';
import { grammarOf } from '../services/symbols/grammars.js';
import { outlineOf } from '../services/symbols/outline.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Symbols as a drawing: two spaces for each that they stand in. */
async function drawn(fileName: string, text: string): Promise<string[]> {
  const { symbols } = outlineOf(await grammarOf(symbolLanguageOf(fileName)!), text);
  return symbols.map(({ name, kind, line, depth }) => `${'  '.repeat(depth)}${kind} ${name} ${line}`);
}

const samples: Readonly<Record<string, readonly [text: string, ...symbols: string[]]>> = {
  'a.js': [
    'export default class Wheel {\n  #turn() {}\n  static of = () => new Wheel();\n}\nconst spin = async (x) => x;\n' +
      'Wheel.prototype.stop = function () {};\nfunction outer() {\n  function inner() {}\n}\ndescribe("x", () => {\n' +
      '  function help() {}\n});\nexport const tools = { hub() {}, rim: () => 1 };\n',
    'class Wheel 1',
    '  method #turn 2',
    '  method of 3',
    'function spin 5',
    'function Wheel.prototype.stop 6',
    'function outer 7',
    'function help 11',
    'function hub 13',
    'function rim 13',
  ],
  'a.tsx': [
    'interface Hub { turn(): void }\ntype Rim = string;\nenum Kind { A }\nnamespace Inner {\n  export function f() {}\n}\n' +
      'abstract class Base<T> { abstract go(): void }\nconst View = (): T => <b>{list.map((x) => x)}</b>;\n',
    'interface Hub 1',
    '  method turn 1',
    'type Rim 2',
    'enum Kind 3',
    'module Inner 4',
    '  function f 5',
    'class Base 7',
    '  method go 7',
    'function View 8',
  ],
  'a.py': [
    'class Wheel(Base):\n    @property\n    def turn(self):\n        def inner(): pass\n\nasync def go(): pass\n',
    'class Wheel 1',
    '  method turn 3',
    'function go 6',
  ],
  'A.java': [
    'class A {\n  A() {}\n  <T> void m(T t) {}\n  enum E { X }\n  interface I { void n(); }\n  record R(int a) {}\n}\n',
    'class A 1',
    '  method A 2',
    '  method m 3',
    '  enum E 4',
    '  interface I 5',
    '    method n 5',
    '  class R 6',
  ],
  'a.cpp': [
    '#define MAX(a) a\n#define ONE 1\nnamespace n {\nclass A {\n  A();\n  int m() const { return 1; }\n};\n}\n' +
      'int A::out(int b) { return 2; }\nbool operator==(A a, A b) { return 1; }\ntemplate<class T> struct B {};\n',
    'macro MAX 1',
    'module n 3',
    '  class A 4',
    '    method A 5',
    '    method m 6',
    'function A::out 9',
    'function operator== 10',
    'struct B 11',
  ],
  'a.c': [
    'typedef struct wheel { int x; } wheel;\ntypedef struct { int y; } hub;\ntypedef int (*compare)(int);\n' +
      'struct wheel *made(void) { return 0; }\nint proto(int a);\nstatic struct wheel one;\nint (*hook)(void);\n',
    'struct wheel 1',
    'type hub 2',
    'type compare 3',
    'function made 4',
    'function proto 5',
  ],
  'a.go': [
    'package a\ntype A struct{}\ntype I interface { M() }\ntype S string\nfunc (a *A) M() {}\nfunc (g G[T]) N() {}\nfunc main() {}\n',
    'struct A 2',
    'interface I 3',
    '  method M 3',
    'type S 4',
    'method A.M 5',
    'method G.N 6',
    'function main 7',
  ],
  'a.rs': [
    'mod m { fn inner() {} }\nstruct S<T> { a: T }\nimpl<T> Show for S<T> {\n  fn show(&self) {}\n}\ntrait T { fn t(); }\nmacro_rules! mac { () => {} }\n',
    'module m 1',
    '  function inner 1',
    'struct S 2',
    'implementation Show for S<T> 3',
    '  method show 4',
    'trait T 6',
    '  method t 6',
    'macro mac 7',
  ],
  'a.php': [
    '<p><?php\nnamespace A\\B;\nabstract class C { function m() {} }\ntrait T {}\nenum E {}\nfunction f() {}\n',
    'module A\\B 2',
    'class C 3',
    '  method m 3',
    'trait T 4',
    'enum E 5',
    'function f 6',
  ],
  'a.md': [
    '# The *wheel* and [its](https://x.org) `hub`\n\n## Turn\n\n#### Deep\n\nStop\n====\n\n```\n# no heading\n```\n',
    'heading The wheel and its hub 1',
    '  heading Turn 3',
    '    heading Deep 5',
    'heading Stop 7',
  ],
};

describe('outlines of files', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: TestClient;
  const page = async (path: string, query = '', language = 'en') =>
    ada.inject({ url: `/ada/wheel/symbols/branch/main/${path}${query}`, headers: { 'accept-language': language } });

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files'] });
    ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'wheel', default_branch: 'main' } });
    const create = (path: string, text: string) => ({ operation: 'create', path, content: base64(text) });
    const files = [
      create('src/turn.ts', samples['a.js']![0]),
      create('guide.md', samples['a.md']![0]),
      create('many.py', 'def a(): pass\n'.repeat(2_001)),
      create('none.go', 'package none\n'),
      create('plain.txt', 'class A {}\n'),
      create('bytes.rs', 'fn a() {}\0\0\0'),
      create('hostile.java', 'a<b>c('.repeat(80_000)),
      create('large.js', 'function a() {}\n'.repeat(40_000)),
    ];
    await ada.inject({ method: 'POST', url: '/api/v1/repos/ada/wheel/contents', payload: { files } });
  });
  after(() => host.close());

  for (const [name, [text, ...symbols]] of Object.entries(samples))
    it(`issue 29: list what ${name} defines, by kind, line and what it stands in`, async () => {
      expect(await drawn(name, text)).to.equal(symbols);
    });

  it('issue 29: are a page with links to the lines, and a piece for the panel', async () => {
    const whole = await page('src/turn.ts', '', 'de');
    expect(whole.statusCode).to.equal(200);
    expect(whole.payload).to.contain('href="/ada/wheel/src/branch/main/src/turn.ts#L5"').and.contain('Funktion');
    const piece = await page('src/turn.ts', '?piece=1');
    expect(piece.payload).to.contain('href="#L5"').and.not.contain('<html');
    const file = await ada.inject({ url: '/ada/wheel/src/branch/main/src/turn.ts' });
    expect(file.payload).to.contain('href="/ada/wheel/symbols/branch/main/src/turn.ts"');
  });

  it('issue 29: lead to the source of what is rendered', async () => {
    expect((await page('guide.md')).payload).to.contain('/src/branch/main/guide.md?display=source#L3');
    const rendered = await ada.inject({ url: '/ada/wheel/src/branch/main/guide.md' });
    expect(rendered.payload).not.to.contain('data-symbols');
    const source = await ada.inject({ url: '/ada/wheel/src/branch/main/guide.md?display=source' });
    expect(source.payload).to.contain('data-symbols');
  });

  it('issue 29: say where there is nothing, or more than is listed', async () => {
    expect((await page('none.go')).payload).to.contain('This file has no symbols.');
    expect((await page('many.py')).payload).to.contain('Only the first 2,000 symbols are shown.');
  });

  it('issue 29: end in time for hostile texts', async () => {
    for (const attempt of [1, 2]) {
      const answer = await page('hostile.java', '?piece=1');
      expect(answer.statusCode, String(attempt)).to.equal(200);
      expect(answer.payload).to.contain('could not be read in time');
    }
    // threads go on for others
    expect((await page('src/turn.ts', '?piece=1')).payload).to.contain('spin');
  });

  it('issue 29: are refused for what has none', async () => {
    for (const path of ['plain.txt', 'bytes.rs', 'large.js', 'src', 'nowhere.ts'])
      expect((await page(path)).statusCode, path).to.equal(404);
    expect((await page('src/turn.ts', '?piece=maybe')).statusCode).to.equal(422);
    for (const path of ['plain.txt', 'large.js']) {
      const file = await ada.inject({ url: `/ada/wheel/src/branch/main/${path}` });
      expect(file.payload, path).not.to.contain('data-symbols');
    }
  });
});
