import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { definitionIn, definitionsOf } from '../services/definitions.js';
import { linesAround } from '../services/file-lines.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 29: results of code in order', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: TestClient;

  before(async () => {
    host = await startHost({ plugins: ['search', 'files', 'issues', 'adoption'] });
    ada = await signUp(host, 'ada');
    const files = {
      'src/use.ts': 'first\n\nsecond\nlet a = 1;\nreturn Sprocket(a);\nsixth\nseventh\neighth\n',
      '.hidden/define.ts': 'export class Sprocket {}\n',
      'src/sprocket.md': 'Sprocket is explained here.\n',
      'lib/define.py': '# about Sprocket\n\n\n\n\nclass Sprocket:\n    pass\n',
      'src/later.ts': 'new Sprocket();\n',
    };
    for (const name of ['one', 'two'])
      await send('POST', '/user/repos', { name, private: name === 'two', auto_init: true, default_branch: 'main' });
    const changes = Object.entries(files).map(([path, text]) => ({
      operation: 'create',
      path,
      content: Buffer.from(text).toString('base64'),
    }));
    await send('POST', '/repos/ada/one/contents', { files: changes, message: 'Add', branch: 'main' });
    await send('POST', '/repos/ada/two/contents', { files: changes.slice(0, 1), message: 'Add', branch: 'main' });
    await host.settle();
  });
  after(() => host.close());

  async function send(method: 'POST' | 'PATCH' | 'PUT', url: string, payload: object) {
    const answer = await ada.inject({ method, url: `/api/v1${url}`, payload });
    expect(answer.statusCode, answer.payload).to.be.below(300);
  }
  const page = async (query: Record<string, string>, by: Pick<TestClient, 'inject'> = host) => {
    const { statusCode, payload } = await by.inject(`/search?${new URLSearchParams(query).toString()}`);
    expect(statusCode).to.equal(200);
    return payload;
  };
  const found = async (query: Record<string, string>, by?: Pick<TestClient, 'inject'>) =>
    [...(await page(query, by)).matchAll(/<a class="h4 wb-break-word" href="([^"]*)"/g)].map(([, href]) => href!);
  const code = async (more: Record<string, string> = {}, by?: Pick<TestClient, 'inject'>) =>
    (await found({ type: 'code', q: 'sprocket', ...more }, by)).map((href) => href.replace('/src/branch/main', ''));

  it('issue 29: definitions come before names of files, contents after them, hidden folders last', async () => {
    expect(await code()).to.equal([
      '/ada/one/lib/define.py#L6',
      '/ada/one/src/sprocket.md#L1',
      ...['/ada/one/src/use.ts#L5', '/ada/one/src/later.ts#L1'],
      '/ada/one/.hidden/define.ts#L1',
    ]);
  });

  it('issue 29: results of code are narrowed by language, path and repository', async () => {
    expect(await code({ language: 'Python' })).to.equal(['/ada/one/lib/define.py#L6']);
    expect(await code({ language: 'Nothing' })).to.equal([]);
    expect(await code({ path: 'SRC/', language: 'Markdown' })).to.equal(['/ada/one/src/sprocket.md#L1']);
    expect(await code({ path: '%' })).to.equal([]);
    expect(await code({ repository: 'ADA/two' }, ada)).to.equal(['/ada/two/src/use.ts#L5']);
    expect(await code({ repository: 'ada/two' })).to.equal([]);
    expect(await code({ repository: 'ada' }, ada)).to.have.length(6);
    expect(await code({ repository: 'ben' }, ada)).to.equal([]);
    const html = await page({ type: 'code', q: 'sprocket', language: 'Python', path: 'define' });
    // what was chosen stays in the form, and in the tabs of kinds that have it too
    expect(html)
      .to.match(/<option value="Python" selected/)
      .and.to.contain('value="define"');
    expect(await page({ type: 'code', q: 'sprocket' })).to.contain('<option value="TypeScript">');
    expect(html).to.contain('/search?q=sprocket&amp;type=repositories&amp;language=Python');
    expect(html).to.contain('href="/search?q=sprocket&amp;type=code"');
  });

  it('issue 29: three lines stand around the one that was found', async () => {
    const html = await page({ type: 'code', q: 'sprocket', path: 'use' });
    const lines = [...html.matchAll(/<tr( class="is-found")?><th scope="row">(\d+)<\/th><td>([^<]*)/g)];
    expect(lines.map(([, isFound, number]) => `${number}${isFound ? '!' : ''}`)).to.equal([
      '2',
      '3',
      '4',
      '5!',
      '6',
      '7',
      '8',
    ]);
    expect(lines[3]![3]).to.equal('return Sprocket(a);');
    expect(linesAround('a\r\nb', 'b', undefined)).to.equal([
      { number: 1, text: 'a', isFound: false },
      { number: 2, text: 'b', isFound: true },
    ]);
    expect(linesAround('a\n', 'x', undefined)).to.equal([]);
    expect(linesAround(`${'x'.repeat(1000)} b\n`, 'b', undefined)[0]!.text).to.have.length(301);
    // a whole phrase before single words
    expect(linesAround('the\nof\nof the\n', 'of the', undefined).find(({ isFound }) => isFound)?.number).to.equal(3);
  });

  it('issue 29: files from before are read once more', async () => {
    const { database } = host;
    await database.write(async () => {
      await database.knex()('search_file').update({ definitions: null, language: null, name: '' });
      await database.knex()('search_tree').update({ commit_id: '' });
    });
    expect(await code({ language: 'Python' })).to.equal([]);
    await send('PATCH', '/repos/ada/one', { description: 'Another' });
    await host.settle();
    expect(await code({ language: 'Python' })).to.equal(['/ada/one/lib/define.py#L6']);
  });

  it('issue 29: repositories, people and issues are narrowed', async () => {
    const repositories = (more: Record<string, string>, by: Pick<TestClient, 'inject'> = ada) =>
      found({ type: 'repositories', q: 'o', ...more }, by);
    expect(await repositories({ visibility: 'private' })).to.equal(['/ada/two']);
    expect(await repositories({ visibility: 'private' }, host)).to.equal([]);
    expect(await repositories({ owner: 'nobody' })).to.equal([]);
    expect(await repositories({ owner: 'ADA', visibility: 'public' })).to.equal(['/ada/one']);
    expect(await repositories({ state: 'archived' })).to.equal([]);
    expect(await found({ type: 'people', q: 'ada', kind: 'user' })).to.equal(['/ada']);
    expect(await found({ type: 'people', q: 'ada', kind: 'organization' })).to.equal([]);
    for (const title of ['Cog open', 'Cog closed']) await send('POST', '/repos/ada/one/issues', { title });
    await send('PATCH', '/repos/ada/one/issues/2', { state: 'closed' });
    await host.settle();
    const issues = (more: Record<string, string>) => found({ type: 'issues', q: 'cog', ...more });
    expect(await issues({})).to.have.length(2);
    expect(await issues({ state: 'open' })).to.equal(['/ada/one/issues/1']);
    expect(await issues({ state: 'closed', owner: 'ada', author: 'ada' })).to.equal(['/ada/one/issues/2']);
    expect(await issues({ author: 'nobody' })).to.equal([]);
    // each says which repository it is of
    expect(await page({ type: 'issues', q: 'cog' })).to.match(/href="\/ada\/one">\s*ada\/one/);
    for (const odd of ['state=x&visibility=x&kind=x', 'owner=%00', 'language=%27', 'page=99999&path=%25', 'odd=1'])
      for (const type of ['repositories', 'people', 'issues', 'code', 'commits'])
        expect((await host.inject(`/search?q=o&type=${type}&${odd}`)).statusCode, odd).to.be.below(500);
    expect((await host.inject(`/search?q=o&owner=${'x'.repeat(101)}`)).statusCode).to.be.within(400, 499);
  });

  it('issue 29: names that a line defines are told by its language', () => {
    const lines: readonly (readonly [language: string, line: string, name: string | undefined])[] = [
      ['TypeScript', 'export default async function turnGear(a) {', 'turnGear'],
      ['TypeScript', 'export abstract class Wheel<T> {', 'Wheel'],
      ['TypeScript', 'type Wheel = string;', 'Wheel'],
      ['JavaScript', 'export const wheel = 1;', 'wheel'],
      ['JavaScript', '  const wheel = 1;', undefined],
      ['JavaScript', 'wheel(1);', undefined],
      ['Python', '    async def turn_gear(self):', 'turn_gear'],
      ['Python', 'class Wheel:', 'Wheel'],
      ['Python', 'import wheel', undefined],
      ['Ruby', '  def self.turn', 'turn'],
      ['Go', 'func (w *Wheel) Turn() error {', 'Turn'],
      ['Go', 'type Wheel struct {', 'Wheel'],
      ['Rust', 'pub(crate) async fn turn() {', 'turn'],
      ['Rust', 'macro_rules! wheel {', 'wheel'],
      ['Java', '  public static final class Wheel {', 'Wheel'],
      ['Kotlin', 'data class Wheel(val a: Int)', 'Wheel'],
      ['PHP', 'public function turn() {', 'turn'],
      ['C', 'static int turn_gear(struct wheel *w)', 'turn_gear'],
      ['C', '  turn_gear(w);', undefined],
      ['C', 'return turn(w);', undefined],
      ['C', '#define WHEEL 1', 'WHEEL'],
      ['Shell', 'turn() {', 'turn'],
      ['SQL', 'CREATE TABLE IF NOT EXISTS wheel (', 'wheel'],
      ['Elixir', '  defp turn(a) do', 'turn'],
      ['Markdown', 'class Wheel', undefined],
    ];
    for (const [language, line, name] of lines) expect(definitionIn(line, language), line).to.equal(name);
    expect(definitionsOf('class A {}\nclass B {}\nclass A {}\n', 'TypeScript')).to.equal('\na\nb\n');
    expect(definitionsOf('nothing\n', 'TypeScript')).to.equal('');
    expect(definitionsOf(`class A${'x'.repeat(400)} {}\n`, 'TypeScript')).to.equal('');
    const many = Array.from({ length: 5000 }, (_, at) => `class Wheel${at} {}`).join('\n');
    expect(definitionsOf(many, 'Java').length).to.be.below(4100);
    const begin = Date.now();
    for (const language of ['C', 'SQL', 'Rust', 'TypeScript'])
      for (const odd of [
        'a '.repeat(149),
        'create '.repeat(42),
        'static '.repeat(42),
        'a*'.repeat(149),
        'pub(a '.repeat(50),
      ])
        for (let at = 0; at < 20; at++) definitionIn(odd, language);
    expect(Date.now() - begin).to.be.below(1000);
  });
});
