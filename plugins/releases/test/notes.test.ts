import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { multipart, type TestClient } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('release notes from merged pull requests', () => {
  let world: World;
  const body = (answer: { payload: string }) => JSON.parse(answer.payload) as Record<string, unknown>;
  const ok = async (by: TestClient, method: string, url: string, payload?: object) => {
    const answer = await send(by, method, url, payload);
    expect(answer.statusCode, answer.payload).to.be.below(300);
    return answer.payload ? body(answer) : {};
  };
  const commit = (by: TestClient, path: string, text: string, into?: string) =>
    ok(by, 'POST', `${api}/contents/${path}`, {
      content: Buffer.from(text).toString('base64'),
      message: `add ${path}`,
      branch: 'main',
      ...(into && { new_branch: into }),
    });
  const label = async (name: string) => (await ok(world.ada, 'POST', `${api}/labels`, { name, color: '#00aabb' })).id;
  const merged = async (by: TestClient, title: string, labels: readonly unknown[], style = 'merge') => {
    const branch = title.toLowerCase().replaceAll(' ', '-');
    await commit(by, `${branch}.txt`, title, branch);
    const { number } = await ok(by, 'POST', `${api}/pulls`, { title, head: branch, base: 'main', labels });
    await ok(world.ada, 'POST', `${api}/pulls/${String(number)}/merge`, { Do: style });
    return Number(number);
  };
  const generate = (payload: object, by: TestClient = world.ben) =>
    send(by, 'POST', `${api}/releases/generate-notes`, payload);
  const numbers: number[] = [];

  before(async () => {
    world = await makeWorld(['releases', 'pulls', 'files', 'refs']);
    const { ada, ben } = world;
    await merged(ada, 'Begin', []);
    await world.push('refs/tags/v1', await world.head());
    const [bug, quiet] = [await label('bug'), await label('quiet')];
    numbers.push(
      await merged(ada, 'Spin faster', [], 'squash'),
      await merged(ben, 'Mend the wheel', [bug], 'rebase'),
      await merged(ada, 'Sweep the floor', [quiet]),
    );
  });
  after(() => world.host.close());

  it('list what was merged since the nearest tag, with authors, newcomers and the comparison', async () => {
    const answer = await generate({ tag_name: 'v2' });
    expect(answer.statusCode, answer.payload).to.equal(200);
    const [spin, mend, sweep] = numbers;
    const { name, body: text } = body(answer);
    expect(name).to.equal('v2');
    expect(String(text).replace(/https?:\S+\/ada\//, '/ada/')).to.equal(
      [
        "## What's Changed",
        `* Spin faster by @ada in !${spin}\n* Mend the wheel by @ben in !${mend}\n* Sweep the floor by @ada in !${sweep}`,
        '## Contributors',
        '@ada, @ben',
        '## New Contributors',
        `* @ben made their first contribution in !${mend}`,
        '**Full Changelog**: /ada/press/compare/v1...v2\n',
      ].join('\n\n'),
    );
    // without a tag before, everything
    const first = String(body(await generate({ tag_name: 'v1' })).body);
    expect(first).to.include(['* Begin by @ada', '/ada/press/commits/tag/v1']).and.not.include('Spin');
    const since = String(
      body(await generate({ tag_name: 'v2', previous_tag_name: 'v1', target_commitish: 'v1' })).body,
    );
    expect(since).to.startWith('**Full Changelog**');
  });

  it('name what is not there, and are for those who may write releases', async () => {
    expect((await generate({ tag_name: 'v2', previous_tag_name: 'v0' })).statusCode).to.equal(404);
    expect((await generate({ tag_name: 'v2', target_commitish: 'nowhere' })).statusCode).to.equal(404);
    expect((await generate({ tag_name: 'v2', configuration_file_path: '../x' })).statusCode).to.equal(404);
    expect((await generate({ tag_name: 'a..b' })).statusCode).to.equal(422);
    expect((await generate({})).statusCode).to.equal(422);
    expect((await generate({ tag_name: 'v2' }, world.cas)).statusCode).to.equal(403);
    expect((await generate({ tag_name: 'v2' })).payload).to.include('What');
  });

  it('are added in the form to what is written, and nothing is stored', async () => {
    const { ben } = world;
    const form = (fields: Record<string, string>) =>
      ben.inject({
        method: 'POST',
        url: '/ada/press/releases/new',
        ...multipart(Object.entries({ title: '', target: '', ...fields }).map(([name, value]) => ({ name, value }))),
      });
    const made = await form({ tag_name: 'v2', note: 'Thanks!', action: 'generate' });
    expect(made.statusCode).to.equal(200);
    expect(made.payload).to.include(["Thanks!\n\n## What's Changed", '* Mend the wheel by @ben in !']);
    const refused = await form({ tag_name: 'v2', note: 'Thanks!', previous_tag: 'v0', action: 'generate' });
    expect(refused.statusCode).to.equal(404);
    expect(refused.payload).to.include(['The tag v0 does not exist.', 'Thanks!']);
    expect((await send(ben, 'GET', `${api}/releases`)).payload).to.equal('[]');
  });

  it('follow the file of the repository, and say what is wrong with it', async () => {
    const { ada } = world;
    const config = [
      'changelog:',
      '  exclude:',
      '    labels: [Quiet]',
      '  categories:',
      '    - title: Repairs',
      '      labels: [bug]',
      '    - title: Everything else',
      "      labels: ['*']",
      '      exclude: {authors: [ben]}',
      '',
    ].join('\n');
    await commit(ada, '.github/release.yml', config);
    const [spin, mend] = numbers;
    const text = String(body(await generate({ tag_name: 'v2' })).body);
    expect(text).to.include([
      `### Repairs\n\n* Mend the wheel by @ben in !${mend}`,
      `### Everything else\n\n* Spin faster by @ada in !${spin}`,
    ]);
    expect(text).to.not.include('Sweep');
    // the folder of this site comes first
    const broken = { 'a.yml': 'changelog: [', 'b.yml': 'changelog: {categories: [{title: x}]}', 'c.yml': 'x: &a [*a]' };
    for (const [path, yaml] of Object.entries(broken)) {
      await commit(ada, path, yaml);
      const answer = await generate({ tag_name: 'v2', configuration_file_path: path });
      expect(answer.statusCode, answer.payload).to.equal(422);
      expect(body(answer).message).to.include(`${path} is not valid: `);
    }
    await commit(ada, '.mortise/release.yml', 'changelog: {exclude: {labels: [bug]}}');
    const own = String(body(await generate({ tag_name: 'v2' })).body);
    expect(own).to.include('Sweep').and.not.include('Mend');
  });
});
