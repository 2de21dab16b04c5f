import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { multipart } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages, feeds and hooks of releases', () => {
  let world: World;
  let sink: Server;
  const got: { event: string; body: Record<string, any> }[] = []; // oxlint-disable-line typescript/no-explicit-any
  const submit = (
    path: string,
    fields: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = {},
    by: Pick<TestClient, 'inject'> = world.ben,
  ) =>
    by.inject({
      method: 'POST',
      url: `/ada/press/releases${path}`,
      ...multipart([
        ...Object.entries(fields).map(([name, value]) => ({ name, value })),
        ...Object.entries(files).map(([fileName, value]) => ({ name: 'files', fileName, value })),
      ]),
    });

  before(async () => {
    sink = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push({ event: String(request.headers['x-gitea-event']), body: JSON.parse(body || '{}') });
        response.end();
      });
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    world = await makeWorld(['releases', 'webhooks', 'webhook-mortise', 'auth-basic'], {
      'repository.release': { MAX_FILES: 2, DEFAULT_PAGING_NUM: 2 },
      // The receiver is this same process: when it stands still, no time-out may end a delivery.
      webhook: { DELIVER_TIMEOUT: 100 },
    });
  });
  after(async () => {
    await world.host.close();
    sink.close();
  });

  it('a new release by the form alone: preview, draft with files, publish', async () => {
    const page = await world.ben.inject('/ada/press/releases/new');
    expect(page.statusCode).to.equal(200);
    const values = { tag_name: 'v1', target: '', title: 'One <1>', note: 'all **of** it', tag_message: '' };
    const preview = await submit('/new', { ...values, action: 'preview' });
    expect(preview.payload).to.include('<strong>of</strong>');
    expect(preview.payload).to.include('value="One &lt;1>"');
    expect(await world.tag('v1')).to.be.undefined();
    const made = await submit('/new', { ...values, action: 'draft' }, { 'a.txt': 'aaa' });
    expect([made.statusCode, made.headers.location]).to.equal([303, '/ada/press/releases/tag/v1']);
    const edit = await world.ben.inject('/ada/press/releases/edit/v1');
    const [, id] = /name="remove-(\d+)"/.exec(edit.payload)!;
    const out = await submit(
      '/edit/v1',
      { ...values, action: 'publish', [`name-${id}`]: 'b.txt', external_url: 'https://example.com/c.txt' },
      { 'd.txt': 'ddd' },
    );
    expect(out.statusCode).to.equal(303);
    expect(await world.tag('v1')).to.equal(await world.head());
    const shown = await world.cas.inject('/ada/press/releases/tag/v1');
    for (const text of ['b.txt', 'https://example.com/c.txt', 'd.txt', 'One &lt;1>', 'Latest', '/archive/v1.zip'])
      expect(shown.payload, text).to.include(text);
    expect(shown.payload).to.not.include('/releases/edit/');
  });

  it('refusals keep what was written', async () => {
    const values = { tag_name: 'v 2', title: 'Kept title', note: 'kept note', prerelease: 'on', action: 'publish' };
    const bad = await submit('/new', values);
    expect(bad.statusCode).to.equal(422);
    for (const text of ['Kept title', 'kept note', 'value="v 2"']) expect(bad.payload).to.include(text);
    const many = await submit('/new', { ...values, tag_name: 'v2' }, { a: 'a', b: 'b', c: 'c' });
    expect(many.statusCode).to.equal(400);
    expect(many.payload).to.include('At most 2 files');
    expect((await send(world.ben, 'GET', `${api}/releases/tags/v2`)).statusCode).to.equal(404);
    const kept = await submit('/new', { ...values, tag_name: 'v2', target: 'nope' }, { a: 'a' });
    expect(kept.payload).to.include('Saved as a draft');
    expect((await send(world.ben, 'GET', `${api}/releases/tags/v2`)).json.draft).to.be.true();
    await submit('/delete/v2', {});
    expect((await submit('/new', values, {}, world.cas)).statusCode).to.equal(403);
    expect((await submit('/delete/v1', {}, {}, world.cas)).statusCode).to.equal(403);
    expect((await world.host.inject('/ada/press/releases/new')).statusCode).to.equal(303);
  });

  it('lists by pages, finds, compares with the one before, tells of feeds', async () => {
    for (const tag_name of ['v2', 'v3']) await send(world.ben, 'POST', `${api}/releases`, { tag_name });
    const list = await world.cas.inject('/ada/press/releases');
    expect(list.payload).to.include('/ada/press/compare/v2...v3');
    expect(list.payload).to.include('?page=2');
    expect(list.payload).to.include('releases.atom');
    const second = await world.cas.inject('/ada/press/releases?page=2');
    expect(second.payload).to.include('One &lt;1&gt;'.replace('&gt;', '>'));
    const found = await world.cas.inject('/ada/press/releases?q=ONE');
    expect(found.payload).to.include('/releases/tag/v1');
    expect(found.payload).to.not.include('/releases/tag/v3');
    expect((await world.cas.inject('/ada/press/releases?q=%25')).payload).to.include('No matching releases');
    const tag = await world.cas.inject('/ada/press/releases/tag/none');
    expect(tag.statusCode).to.equal(404);
    await world.push('refs/tags/plain', await world.head());
    expect((await world.cas.inject('/ada/press/releases/tag/plain')).headers.location).to.equal(
      '/ada/press/src/tag/plain',
    );
  });

  it('speaks the language of its visitor', async () => {
    const said = async (language: string, url: string) =>
      (await world.cas.inject({ url, headers: { 'accept-language': language } })).payload;
    expect(await said('de', '/ada/press/releases')).to.include(['Releases suchen', 'Dateien']);
    expect(await said('zh-CN', '/ada/press/releases')).to.include(['搜索发行版', '附件']);
  });

  it('feeds hold what is published, as text that every reader can parse', async () => {
    await send(world.ben, 'POST', `${api}/releases`, {
      tag_name: 'v4',
      name: 'a\u000b & <b>]]>',
      body: 'x\u0000\ufffe',
    });
    await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'v5', name: 'hidden', draft: true });
    for (const [form, type] of [
      ['rss', 'application/rss+xml'],
      ['atom', 'application/atom+xml'],
    ] as const) {
      const feed = await world.cas.inject(`/ada/press/releases.${form}`);
      expect(String(feed.headers['content-type'])).to.include(type);
      expect(feed.payload).to.include('<title>a &amp; &lt;b&gt;]]&gt;</title>'.replace('a &', 'a &'));
      expect(feed.payload).to.not.include('hidden');
      expect(feed.payload).to.include('&lt;strong&gt;of&lt;/strong&gt;');

      expect(feed.payload).to.not.match(/[\u0000-\u0008\u000b\ufffe]/);
      const tags = await world.cas.inject(`/ada/press/tags.${form}`);
      expect(tags.payload).to.include('<title>plain</title>');
      expect(tags.payload).to.include('<title>v2</title>');
    }
    const withPassword = await world.host.inject({
      url: '/ada/press/releases.rss',
      headers: { authorization: `Basic ${Buffer.from('ada:wrong').toString('base64')}` },
    });
    expect(withPassword.statusCode).to.equal(401);
  });

  it('HOK-28: hooks hear of publication, change and deletion', async () => {
    const hook = await send(world.ada, 'POST', `${api}/hooks`, {
      type: 'gitea',
      active: true,
      events: ['release'],
      config: { url: `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`, content_type: 'json' },
    });
    expect(hook.statusCode).to.equal(201);
    await world.host.settle();
    got.length = 0;
    const made = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'h1', name: 'Hooked' });
    await world.host.settle();
    await send(world.ben, 'PATCH', `${api}/releases/${made.json.id}`, { name: 'Hooked again' });
    await world.host.settle();
    await send(world.ben, 'DELETE', `${api}/releases/${made.json.id}`);
    await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'h2', draft: true });
    await world.host.settle();
    expect(got.map(({ event, body }) => [event, body.action, body.release.name])).to.equal([
      ['release', 'published', 'Hooked'],
      ['release', 'updated', 'Hooked again'],
      ['release', 'deleted', 'Hooked again'],
    ]);
    expect(got[0]!.body.repository.full_name).to.equal('ada/press');
    expect(got[0]!.body.sender.login).to.equal('ben');
    expect(got[2]!.body.release.tag_name).to.equal('h1');
  });
});
