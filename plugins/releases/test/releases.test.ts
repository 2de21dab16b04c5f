import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { zeroOid } from '@mortise/git/api';
import { api, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('releases over the API', () => {
  let world: World;
  const at = `${api}/releases`;
  const make = (payload: object, by = world.ben) => send(by, 'POST', at, payload);
  const status = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode;
  const counter = async () => (await send(world.ada, 'GET', api)).json.release_counter as number;
  const names = async (query = '', by = world.ben) =>
    ((await send(by, 'GET', `${at}${query}`)).json as { tag_name: string }[]).map((one) => one.tag_name).sort();

  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  it('makes a plain tag, and with a message an annotated one (REL-05)', async () => {
    const plain = await make({ tag_name: 'v1', name: 'One', body: 'notes' });
    expect(plain.statusCode).to.equal(201);
    expect(plain.json).to.include({ tag_name: 'v1', target_commitish: 'main', name: 'One', body: 'notes' });
    expect(plain.json.author.email).to.not.equal('ben@example.com');
    expect(await world.tag('v1')).to.equal(await world.head());
    expect(await status(make({ tag_name: 'v2', tag_message: 'two\n\nlines' }))).to.equal(201);
    const tag = (await send(world.cas, 'GET', `${api}/tags/v2`)).json;
    expect(tag.message).to.equal('two\n\nlines');
    expect(tag.id).to.not.equal(tag.commit.sha);
    expect(await counter()).to.equal(2);
  });

  it('refuses what cannot be, and leaves nothing of it', async () => {
    for (const [payload, expected] of [
      [{ tag_name: 'v1' }, 409],
      [{ tag_name: '' }, 422],
      [{}, 422],
      [{ tag_name: 'a..b' }, 422],
      [{ tag_name: '-x' }, 422],
      [{ tag_name: 'refs/tags/x' }, 422],
      [{ tag_name: 'with blank' }, 422],
      [{ tag_name: 'x'.repeat(192) }, 422],
      [{ tag_name: '日'.repeat(120) }, 422],
      [{ tag_name: 'x', name: 'n'.repeat(256) }, 422],
      [{ tag_name: 'x', draft: 'maybe' }, 422],
      [{ tag_name: 'lost', target_commitish: 'nope' }, 404],
      [{ tag_name: 'lost', target_commitish: '--output=/tmp/x' }, 404],
      [{ tag_name: 'v1/below' }, 409],
    ] as const)
      expect((await make(payload)).statusCode, JSON.stringify(payload)).to.equal(expected);
    expect(await world.tag('lost')).to.be.undefined();
    const rows = (await world.host.database.knex()('release').count({ n: '*' }))[0] as { n: number };
    expect(Number(rows.n)).to.equal(2);
    expect(await counter()).to.equal(2);
  });

  it('holds texts that no encoding can hold, and asks for no tag without a name', async () => {
    const made = await make({ tag_name: 'odd', name: 'a\ud800\u0000b', body: '\udc00 \u0000', draft: true });
    expect(made.json).to.include({ name: 'a\ufffdb', body: '\ufffd ' });
    expect(await status(send(world.ben, 'DELETE', `${at}/${made.json.id}`))).to.equal(204);
    for (const method of ['GET', 'DELETE'])
      expect(await status(send(world.ben, method, `${at}/tags/`)), method).to.equal(404);
  });

  it('takes odd names as they are', async () => {
    const odd = [
      'a/b/c',
      'ü-1',
      'a#b',
      'a%2Fb',
      "it's",
      '<b>&',
      '日本',
      'x+y=z',
      `${'İ'.repeat(95)}/${'İ'.repeat(95)}`,
    ];
    for (const tag_name of odd) {
      const made = await make({ tag_name, name: 'odd' });
      expect(made.statusCode, tag_name).to.equal(201);
      const found = await send(world.cas, 'GET', `${at}/tags/${encodeURIComponent(tag_name)}`);
      expect(found.json.tag_name).to.equal(tag_name);
      const page = await send(world.cas, 'GET', new URL(made.json.html_url).pathname);
      expect(page.statusCode, made.json.html_url).to.equal(200);
      expect(await status(send(world.ben, 'DELETE', `${at}/tags/${encodeURIComponent(tag_name)}`))).to.equal(204);
    }
    expect(await counter()).to.equal(2);
  });

  it('who may: readers read, writers write, drafts are theirs', async () => {
    const draft = await make({ tag_name: 'v3', draft: true, name: 'Third' });
    expect(draft.json.draft).to.be.true();
    expect(await world.tag('v3')).to.be.undefined();
    expect(await names('', world.cas)).to.equal(['v1', 'v2']);
    expect(await names('?draft=true', world.cas)).to.equal([]);
    expect(await names('?draft=true')).to.equal(['v3']);
    expect(await names('?draft=false')).to.equal(['v1', 'v2']);
    for (const url of [`${at}/${draft.json.id}`, `${at}/tags/v3`, `${at}/${draft.json.id}/assets`]) {
      expect(await status(send(world.cas, 'GET', url)), url).to.equal(404);
      expect(await status(send(world.host, 'GET', url)), url).to.equal(404);
      expect(await status(send(world.ben, 'GET', url)), url).to.equal(200);
    }
    expect(await status(send(world.cas, 'GET', '/ada/press/releases/tag/v3'))).to.equal(404);
    expect(await status(make({ tag_name: 'v4' }, world.cas))).to.equal(403);
    expect(await status(send(world.host, 'POST', at, { tag_name: 'v4' }))).to.equal(401);
    expect(await status(send(world.cas, 'PATCH', `${at}/${draft.json.id}`, { name: 'x' }))).to.equal(403);
    expect(await status(make({ tag_name: 'v3' }))).to.equal(409);
    expect(await counter()).to.equal(2);
  });

  it('publishes drafts, and takes releases back', async () => {
    const [{ id }] = (await send(world.ben, 'GET', `${at}?draft=true`)).json;
    const out = await send(world.ben, 'PATCH', `${at}/${id}`, { draft: false, prerelease: true, name: '' });
    expect(out.statusCode).to.equal(200);
    expect(out.json).to.include({ draft: false, prerelease: true, name: 'Third', target_commitish: 'main' });
    expect(await world.tag('v3')).to.equal(await world.head());
    expect(await names('?pre-release=true')).to.equal(['v3']);
    expect((await send(world.cas, 'GET', `${at}/latest`)).json.tag_name).to.equal('v2');
    expect(await counter()).to.equal(3);
    expect(await status(send(world.ben, 'PATCH', `${at}/${id}`, { tag_name: 'v1' }))).to.equal(409);
    expect(await status(send(world.ben, 'PATCH', `${at}/${id}`, { tag_name: 'b ad' }))).to.equal(422);
    const moved = await send(world.ben, 'PATCH', `${at}/${id}`, { tag_name: 'v3.1' });
    expect(moved.json).to.include({ tag_name: 'v3.1', draft: false });
    expect(await world.tag('v3.1')).to.equal(await world.head());
    expect((await send(world.ben, 'PATCH', `${at}/${id}`, { draft: true })).json.draft).to.be.true();
    expect(await counter()).to.equal(2);
    expect(await status(send(world.ben, 'PATCH', `${at}/${id}`, { draft: false, target_commitish: 'x' }))).to.equal(
      200,
    );
    expect(await status(send(world.ben, 'DELETE', `${at}/${id}`))).to.equal(204);
    expect(await status(send(world.ben, 'DELETE', `${at}/${id}`))).to.equal(404);
    expect(await world.tag('v3.1')).to.equal(await world.head());
    expect(await counter()).to.equal(2);
  });

  it('REL-01 … REL-04: tag_filter fits whole tags, * is any text, all else is itself', async () => {
    const tags = ['f-1%2', 'f-1x2', 'f_1', 'fx1', 'F-Beta', 'f-beta-2', 'f-\u00e9'];
    for (const tag_name of tags) expect((await make({ tag_name })).statusCode, tag_name).to.equal(201);
    const filter = async (text: string) => names(`?tag_filter=${encodeURIComponent(text)}&limit=50`);
    expect(await filter('f*')).to.equal([...tags].sort());
    expect(await filter('F-BETA')).to.equal(['F-Beta']);
    expect(await filter('*beta')).to.equal(['F-Beta']);
    expect(await filter('*BETA*')).to.equal(['F-Beta', 'f-beta-2']);
    expect(await filter('f-1%2')).to.equal(['f-1%2']);
    expect(await filter('f-1%*')).to.equal(['f-1%2']);
    expect(await filter('f_1')).to.equal(['f_1']);
    expect(await filter('%')).to.equal([]);
    expect(await filter('f\\_1')).to.equal([]);
    expect(await filter('\\')).to.equal([]);
    expect(await filter('f!_1')).to.equal([]);
    expect(await filter('f')).to.equal([]);
    expect(await filter('f-\u00c9')).to.equal(['f-\u00e9']);
    expect(await filter("' or 1=1 --")).to.equal([]);
    const page = await send(world.cas, 'GET', `${at}?tag_filter=f*&limit=2&page=2`);
    expect(page.headers['x-total-count']).to.equal('7');
    expect(page.json).to.have.length(2);
    expect(await filter(`${'*a'.repeat(120)}`)).to.equal([]);
    expect(await status(send(world.cas, 'GET', `${at}?tag_filter=${'a'.repeat(300)}`))).to.equal(422);
    expect(await status(send(world.cas, 'GET', `${at}?draft=perhaps`))).to.equal(422);
    expect(await names('?q=BETA')).to.equal(['F-Beta', 'f-beta-2']);
    for (const tag of tags)
      expect(await status(send(world.ben, 'DELETE', `${at}/tags/${encodeURIComponent(tag)}`))).to.equal(204);
  });

  it('a tag that is there is kept, and gives the release its age', async () => {
    const head = await world.head();
    await world.push('refs/tags/old', head);
    const commit = (await send(world.cas, 'GET', `${api}/git/commits/${head}`)).json;
    const made = await make({ tag_name: 'old', target_commitish: 'nowhere', tag_message: 'late' });
    expect(made.statusCode).to.equal(201);
    expect(made.json.created_at).to.equal(commit.created);
    expect(await world.tag('old')).to.equal(head);
  });

  it('a draft follows the branch that it waits for to its new name', async () => {
    expect(await status(send(world.ben, 'POST', `${api}/branches`, { new_branch_name: 'next' }))).to.equal(201);
    const { json } = await make({ tag_name: 'w', draft: true, target_commitish: 'next' });
    const renamed = await send(world.ben, 'PATCH', `${api}/branches/next`, { name: 'later' });
    expect(renamed.statusCode).to.equal(204);
    expect((await send(world.ben, 'GET', `${at}/${json.id}`)).json.target_commitish).to.equal('later');
    expect(await status(send(world.ben, 'DELETE', `${at}/${json.id}`))).to.equal(204);
  });

  it('deleting its tag: refused over the API, by a push the release becomes a draft', async () => {
    expect(await status(send(world.ben, 'DELETE', `${api}/tags/old`))).to.equal(409);
    const before = await counter();
    await world.push('refs/tags/old', zeroOid);
    expect((await send(world.ben, 'GET', `${at}/tags/old`)).json.draft).to.be.true();
    expect(await status(send(world.cas, 'GET', `${at}/tags/old`))).to.equal(404);
    expect(await counter()).to.equal(before - 1);
    expect(await status(send(world.ben, 'DELETE', `${at}/tags/old`))).to.equal(204);
  });

  it('of many who release one tag at once, one does; the others are told', async () => {
    const before = await counter();
    const all = await Promise.all(Array.from({ length: 8 }, () => make({ tag_name: 'race', tag_message: 'm' })));
    expect(all.map((one) => one.statusCode).sort()).to.equal([201, 409, 409, 409, 409, 409, 409, 409]);
    expect(await counter()).to.equal(before + 1);
    expect(await names('?tag_filter=race')).to.equal(['race']);
  });

  it('a huge note is kept whole, and its pages stay small', async () => {
    const body = `# Big\n\n${'word *and* word\n'.repeat(90_000)}`;
    const made = await make({ tag_name: 'huge', body });
    expect(made.statusCode).to.equal(201);
    expect(made.json.body).to.equal(body);
    const list = await send(world.cas, 'GET', '/ada/press/releases');
    expect(list.payload.length).to.be.below(300_000);
    expect(list.payload).to.include('Read the full notes');
    expect((await send(world.cas, 'GET', '/ada/press/releases/tag/huge')).statusCode).to.equal(200);
    expect(await status(make({ tag_name: 'more', body: 'x'.repeat(6_000_000) }))).to.be.within(413, 422);
    await send(world.ben, 'DELETE', `${at}/tags/huge`);
  });

  it('an archived repository takes none; with the unit off there are none; private ones are hidden', async () => {
    const edit = async (payload: object) =>
      expect((await send(world.ada, 'PATCH', api, payload)).statusCode).to.equal(200);
    await edit({ archived: true });
    expect(await status(make({ tag_name: 'late' }))).to.equal(423);
    expect(await status(send(world.cas, 'GET', at))).to.equal(200);
    await edit({ archived: false });
    await edit({ has_releases: false });
    expect(await status(send(world.cas, 'GET', at))).to.equal(403);
    expect(await status(make({ tag_name: 'late' }))).to.equal(403);
    await edit({ has_releases: true });
    await edit({ private: true });
    for (const url of [
      at,
      `${at}/latest`,
      `${at}/tags/v1`,
      '/ada/press/releases',
      '/ada/press/releases.rss',
      '/ada/press/tags.atom',
    ]) {
      expect(await status(send(world.cas, 'GET', url)), url).to.equal(404);
      expect(await status(send(world.ben, 'GET', url)), url).to.equal(200);
    }
    await edit({ private: false });
  });

  it('an empty repository has nothing to release', async () => {
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'blank' });
    const blank = '/api/v1/repos/ada/blank/releases';
    expect(await status(send(world.ada, 'POST', blank, { tag_name: 'v1' }))).to.equal(422);
    expect(await status(send(world.ada, 'POST', blank, { tag_name: 'v1', draft: true }))).to.equal(422);
    expect(await status(send(world.ada, 'GET', `${blank}/latest`))).to.equal(404);
  });

  it('a renamed repository takes its releases along, a deleted one leaves nothing', async () => {
    expect((await send(world.ada, 'PATCH', api, { name: 'mill' })).statusCode).to.equal(200);
    const moved = await send(world.cas, 'GET', '/api/v1/repos/ada/mill/releases/tags/v1');
    expect(moved.json.html_url).to.include('/ada/mill/releases/tag/v1');
    expect(await status(send(world.cas, 'GET', `${at}/tags/v1`))).to.equal(301);
    expect(await status(send(world.ada, 'DELETE', '/api/v1/repos/ada/mill'))).to.equal(204);
    expect(await world.host.database.knex()('release').select('id')).to.have.length(0);
  });
});
