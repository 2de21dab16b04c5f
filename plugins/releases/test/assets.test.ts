import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, defineService, storage } from '@mortise/plugin-sdk';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { multipart } from '@mortise/plugin-sdk/testing';
import { basicAuth } from '@mortise/accounts/testing';
import { api, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const keyOf = (uuid: string) => `releases/${uuid.slice(0, 2)}/${uuid}`;

describe('files of releases', () => {
  let world: World;
  let files: string;
  let id: number;
  const raw = (query: string, payload: string | Buffer, by: Pick<TestClient, 'inject'> = world.ben, headers = {}) =>
    by.inject({
      method: 'POST',
      url: `${files}${query}`,
      payload,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
  const form = (parts: Parameters<typeof multipart>[0], query = '', by: Pick<TestClient, 'inject'> = world.ben) =>
    by.inject({ method: 'POST', url: `${files}${query}`, ...multipart(parts) });
  const pathOf = (answer: { json: { browser_download_url: string } }) =>
    new URL(answer.json.browser_download_url).pathname;
  const contents = async () => {
    const keys: string[] = [];
    for await (const info of world.host.services.get(storage).area('attachments').list()) keys.push(info.key);
    return keys;
  };

  before(async () => {
    world = await makeWorld(['releases', 'auth-basic'], {
      'repository.release': { FILE_MAX_SIZE: 1, ALLOWED_TYPES: '' },
    });
    const made = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'v/1' });
    id = made.json.id;
    files = `${api}/releases/${id}/assets`;
  });
  after(() => world.host.close());

  it('takes a form, the bytes themselves, and an address elsewhere', async () => {
    const one = await form([
      { name: 'other', value: 'ignored', fileName: 'ignored.txt' },
      { name: 'attachment', value: 'in a form\r\n--xx\r\n', fileName: 'notes.txt' },
      { name: 'later', value: 'field' },
    ]);
    expect(one.statusCode).to.equal(201);
    expect(one.json).to.include({ name: 'notes.txt', size: 17, download_count: 0 });
    expect((await world.cas.inject(pathOf(one))).payload).to.equal('in a form\r\n--xx\r\n');
    const two = await raw('?name=raw.bin', Buffer.from([0, 255, 10, 13]));
    expect((await world.cas.inject(pathOf(two))).rawPayload).to.equal(Buffer.from([0, 255, 10, 13]));
    const external = await form([
      { name: 'name', value: 'mirror.iso' },
      { name: 'external_url', value: 'https://example.com/mirror.iso?x=1' },
    ]);
    expect(external.json).to.include({
      name: 'mirror.iso',
      browser_download_url: 'https://example.com/mirror.iso?x=1',
    });
    const away = await world.cas.inject('/ada/press/releases/download/v/1/mirror.iso');
    expect([away.statusCode, away.headers.location]).to.equal([302, 'https://example.com/mirror.iso?x=1']);
    const json = await raw('?name=data.json', '{"a":1}', world.ben, { 'content-type': 'application/json' });
    expect(json.json.size).to.equal(7);
  });

  it('refuses what it cannot take, and keeps nothing of it', async () => {
    const before = (await contents()).length;
    const bad = [
      await raw('', 'x'),
      await raw('?name=..', 'x'),
      await raw('?name=%00%01', 'x'),
      await form([{ name: 'file', value: 'x', fileName: 'x' }]),
      await form([{ name: 'attachment', value: 'x', fileName: '' }]),
      await form([{ name: 'external_url', value: 'javascript:alert(1)' }]),
      await form([{ name: 'external_url', value: 'https://user:secret@example.com/x' }]),
      await world.ben.inject({
        method: 'POST',
        url: files,
        payload: '--nope\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      }),
      await world.ben.inject({
        method: 'POST',
        url: files,
        payload: '--xx\r\nContent-Disposition: form-data; name="attachment"; filename="cut"\r\n\r\nhalf of',
        headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      }),
      await world.ben.inject({
        method: 'POST',
        url: files,
        payload: 'x',
        headers: { 'content-type': 'multipart/form-data' },
      }),
    ];
    expect(bad.map((one) => one.statusCode)).to.equal(bad.map(() => 400));
    expect((await raw(`?name=${'n'.repeat(256)}`, 'x')).statusCode).to.equal(422);
    expect((await raw('?name=x.gz', 'x', world.ben, { 'content-encoding': 'gzip' })).statusCode).to.equal(415);
    const large = Buffer.alloc(1048577);
    expect((await raw('?name=large', large)).statusCode).to.equal(413);
    expect((await form([{ name: 'attachment', value: large, fileName: 'large' }])).statusCode).to.equal(413);
    expect((await form([{ name: 'field', value: Buffer.alloc(200_000) }])).statusCode).to.equal(413);
    expect((await raw('?name=full', Buffer.alloc(1048576))).statusCode).to.equal(201);
    expect((await raw('?name=x', 'x', world.cas)).statusCode).to.equal(403);
    expect((await raw('?name=x', 'x', world.host)).statusCode).to.equal(401);
    expect((await contents()).length).to.equal(before + 1);
  });

  it('large bodies without a length are cut off in the middle, and the client hears why', async () => {
    const before = (await contents()).length;
    const url = new URL(`${await world.host.url()}${files}?name=endless`);
    const chunk = Buffer.alloc(65536);
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(
        url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/octet-stream',
            authorization: basicAuth('ben'),
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sent.once('error', reject);
      Readable.from(
        (function* () {
          for (let count = 0; count < 40; count++) yield chunk;
        })(),
      ).pipe(sent);
    });
    expect(status).to.equal(413);
    expect((await contents()).length).to.equal(before);
  });

  it('a client that hangs up leaves nothing', async () => {
    const before = (await contents()).length;
    const url = new URL(`${await world.host.url()}${files}?name=half`);
    await new Promise<void>((resolve) => {
      const sent = request(url, {
        method: 'POST',
        headers: {
          'content-length': '100000',
          authorization: basicAuth('ben'),
        },
      });
      sent.once('error', () => undefined);
      sent.once('close', () => resolve());
      sent.write(Buffer.alloc(5000));
      setTimeout(() => sent.destroy(), 300);
    });
    for (let attempt = 0; attempt < 600 && (await contents()).length !== before; attempt++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await contents()).length).to.equal(before);
    expect((await send(world.ben, 'GET', files)).json.map((one: { name: string }) => one.name)).to.not.include('half');
  });

  it('hostile names lose their folders and unseen signs, and are served without harm', async () => {
    for (const [given, expected] of [
      ['../../etc/passwd', 'passwd'],
      ['C:\\Windows\\evil.exe', 'evil.exe'],
      ['a\r\nSet-Cookie: x=1', 'a  Set-Cookie: x=1'],
      ['x\u202egnp.exe', 'xgnp.exe'],
      ['<script>alert(1)<', '<script>alert(1)<'],
      ['"quoted".txt', '"quoted".txt'],
      ['日本語.txt', '日本語.txt'],
      ['CON', 'CON'],
      ['.htaccess', '.htaccess'],
      ['%2e%2e', '%2e%2e'],
    ] as const) {
      const made = await raw(`?name=${encodeURIComponent(given)}`, '\0x');
      expect(made.statusCode, given).to.equal(201);
      expect(made.json.name.replace(/ +/g, ' ')).to.equal(expected.replace(/ +/g, ' '));
      const got = await world.cas.inject(pathOf(made));
      expect(got.statusCode).to.equal(200);
      expect(got.headers['set-cookie']).to.be.undefined();
      expect(got.headers['content-type']).to.match(/^application\/(octet-stream|x-ms\S+)$|^text\/plain/);
      expect(got.headers['x-content-type-options']).to.equal('nosniff');
      if (!expected.endsWith('.txt')) expect(String(got.headers['content-disposition'])).to.match(/^attachment; /);
      expect(got.headers['content-security-policy']).to.include('sandbox');
      const named = await world.cas.inject(
        `/ada/press/releases/download/v/1/${encodeURIComponent(made.json.name as string)}`,
      );
      expect(named.payload, given).to.equal('\0x');
    }
    const quoted = await form([
      { name: 'attachment', value: 'x', disposition: 'form-data; name="attachment"; filename="a%22b\\"c.txt"' },
    ]);
    expect(quoted.json.name).to.equal('a"b"c.txt');
    const star = await form([
      {
        name: '',
        value: 'x',
        disposition: `form-data; name=attachment; filename="x"; filename*=UTF-8''na%C3%AFve.txt`,
      },
    ]);
    expect(star.json.name).to.equal('naïve.txt');
    const page = await world.cas.inject('/ada/press/releases');
    expect(page.payload).to.not.include('<script>alert');
  });

  it('have addresses by id below their repository, and below no other', async () => {
    const { uuid } = (await raw('?name=below.txt', 'below')).json;
    for (const at of ['/ada/press/attachments', '/ada/press/releases/attachments'])
      expect((await world.cas.inject(`${at}/${uuid}`)).payload, at).to.equal('below');
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'other' });
    for (const at of ['/ada/other/attachments', '/ada/other/releases/attachments', '/ada/none/attachments'])
      expect((await world.ada.inject(`${at}/${uuid}`)).statusCode, at).to.equal(404);
    expect((await world.cas.inject('/ada/press/attachments/x')).statusCode).to.equal(404);
  });

  it('serves parts, tags and heads as HTTP has it', async () => {
    const content = Buffer.from('\x00123456789');
    const made = await raw('?name=pic.png', content);
    const at = pathOf(made);
    const get = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      world.cas.inject({ method, url: at, headers });
    const whole = await get({});
    expect(whole.headers['content-type']).to.equal('image/png');
    expect(String(whole.headers['content-disposition'])).to.match(/^inline; /);
    const tag = whole.headers.etag as string;
    expect(tag).to.equal(`"${createHash('sha256').update(content).digest('hex')}"`);
    expect((await get({ 'if-none-match': tag })).statusCode).to.equal(304);
    const part = await get({ range: 'bytes=2-4' });
    expect([part.statusCode, part.payload, part.headers['content-range']]).to.equal([206, '234', 'bytes 2-4/10']);
    expect((await get({ range: 'bytes=-3' })).payload).to.equal('789');
    expect((await get({ range: 'bytes=8-' })).payload).to.equal('89');
    expect((await get({ range: 'bytes=2-4', 'if-range': '"other"' })).payload).to.equal('\x00123456789');
    expect((await get({ range: 'lines=1-2' })).statusCode).to.equal(200);
    const outside = await get({ range: 'bytes=10-' });
    expect([outside.statusCode, outside.headers['content-range']]).to.equal([416, 'bytes */10']);
    const head = await get({}, 'HEAD');
    expect([head.statusCode, head.headers['content-length'], head.payload]).to.equal([200, '10', '']);
    expect((await world.cas.inject('/attachments/00000000-0000-0000-0000-000000000000')).statusCode).to.equal(404);
    expect((await world.cas.inject('/attachments/x')).statusCode).to.equal(404);
    // whole, three parts from the start or with another condition: 0-9, lines, if-range; not 304, HEAD, inner parts
    const counted = async () => (await send(world.cas, 'GET', `${files}/${made.json.id}`)).json.download_count;
    const counter = world.host.services.get(
      defineService<{ flush(): Promise<void>; add(id: number, by: number): void }>('attachments.counter'),
    );
    expect(await counted()).to.equal(3);
    await counter.flush();
    expect(await counted()).to.equal(3);
    // what is not written yet counts as well
    counter.add(made.json.id as number, 1);
    expect(await counted()).to.equal(4);
    await counter.flush();
    expect(await counted()).to.equal(4);
  });

  it('the latest release has an address of its own', async () => {
    expect((await raw('?name=tool', 'new')).statusCode).to.equal(201);
    const got = await world.cas.inject('/ada/press/releases/latest/download/tool');
    expect(got.payload).to.equal('new');
    expect((await world.cas.inject('/ada/press/releases/latest/download/none')).statusCode).to.equal(404);
    const page = await world.cas.inject('/ada/press/releases/latest');
    expect([page.statusCode, page.headers.location]).to.equal([303, '/ada/press/releases/tag/v/1']);
    // C1: also as a tag, as long as no release has it
    const latest = '/ada/press/releases/download/latest/tool';
    expect((await world.cas.inject(latest)).payload).to.equal('new');
    expect((await world.cas.inject('/ada/press/releases/download/latest/none')).statusCode).to.equal(404);
    const draft = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'latest', draft: true });
    const before = files;
    files = `${api}/releases/${draft.json.id}/assets`;
    await raw('?name=tool', 'tagged latest');
    files = before;
    expect((await world.cas.inject(latest)).payload).to.equal('new');
    expect((await world.ben.inject(latest)).payload).to.equal('tagged latest');
    expect((await send(world.ben, 'DELETE', `${api}/releases/${draft.json.id}`)).statusCode).to.equal(204);
  });

  it('C1: every record names the address by tag and name, also of drafts', async () => {
    const draft = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'c1/\u00e9#', draft: true });
    const before = files;
    files = `${api}/releases/${draft.json.id}/assets`;
    const made = await raw(`?name=${encodeURIComponent('50% of #1?.txt')}`, 'half');
    const tag = `c1/${encodeURIComponent('\u00e9#')}`;
    const renamed = `/ada/press/releases/download/${tag}/b.txt`;
    expect(pathOf(made)).to.equal(`/ada/press/releases/download/${tag}/50%25%20of%20%231%3F.txt`);
    expect((await world.ben.inject(pathOf(made))).payload).to.equal('half');
    const patched = await send(world.ben, 'PATCH', `${files}/${made.json.id}`, { name: 'b.txt' });
    const [listed] = (await send(world.ben, 'GET', files)).json;
    const read = await send(world.ben, 'GET', `${files}/${made.json.id}`);
    const release = await send(world.ben, 'GET', `${api}/releases/${draft.json.id}`);
    files = before;
    for (const json of [patched.json, listed, read.json, release.json.assets[0]])
      expect(pathOf({ json })).to.equal(renamed);
    expect((await world.ben.inject(renamed)).payload).to.equal('half');
    expect((await send(world.ben, 'DELETE', `${api}/releases/${draft.json.id}`)).statusCode).to.equal(204);
  });

  it('C1: a download is written before it ends, for every process and page', async () => {
    const made = await raw('?name=counted.txt', 'x');
    const written = async () =>
      (await world.host.services.get(database).knex()('attachment').where({ id: made.json.id }).first())
        .download_count as number;
    for (let count = 1; count < 4; count++) {
      expect((await world.cas.inject(pathOf(made))).statusCode).to.equal(200);
      expect(await written()).to.equal(count);
      expect((await send(world.cas, 'GET', `${files}/${made.json.id}`)).json.download_count).to.equal(count);
    }
  });

  it('files of drafts and of private repositories are for those who see them', async () => {
    const draft = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'd', draft: true });
    const before = files;
    files = `${api}/releases/${draft.json.id}/assets`;
    const made = await raw('?name=secret.txt', 'secret');
    files = before;
    expect(made.statusCode).to.equal(201);
    const named = '/ada/press/releases/download/d/secret.txt';
    for (const [by, expected] of [
      [world.host, 404],
      [world.cas, 404],
      [world.ben, 200],
    ] as const)
      for (const url of [pathOf(made), named]) expect((await by.inject(url)).statusCode, url).to.equal(expected);
    expect(String((await world.ben.inject(pathOf(made))).headers['cache-control'])).to.match(/^private/);
    // a token that only reads is not for them either
    const tokens = { name: 'reads', scopes: ['read:repository'] };
    const { sha1 } = (await send(world.ben, 'POST', '/api/v1/users/ben/tokens', tokens)).json;
    const reads = (url: string) => world.host.inject({ url, headers: { authorization: `token ${sha1}` } });
    for (const url of [
      `${api}/releases/${draft.json.id}`,
      `${api}/releases/${draft.json.id}/assets`,
      pathOf(made),
      named,
    ])
      expect((await reads(url)).statusCode, url).to.equal(404);
    expect((await reads(`${api}/releases`)).json.map(({ draft: is }: { draft: boolean }) => is)).to.not.include(true);
    await send(world.ben, 'PATCH', `${api}/releases/${draft.json.id}`, { draft: false });
    expect((await world.cas.inject(pathOf(made))).statusCode).to.equal(200);
    await send(world.ada, 'PATCH', api, { private: true });
    for (const url of [pathOf(made), named]) {
      expect((await world.cas.inject(url)).statusCode).to.equal(404);
      expect((await world.host.inject(url)).statusCode).to.equal(404);
      expect(String((await world.ben.inject(url)).headers['cache-control'])).to.match(/^private/);
    }
    await send(world.ada, 'PATCH', api, { private: false });
    await send(world.ada, 'PATCH', api, { has_releases: false });
    expect((await world.ben.inject(`/attachments/${made.json.uuid}`)).statusCode).to.equal(404);
    await send(world.ada, 'PATCH', api, { has_releases: true });
  });

  it('deleted files, releases and repositories leave no content; lost content is swept', async () => {
    const made = await raw('?name=gone', 'gone');
    const key = keyOf(made.json.uuid);
    expect(await contents()).to.include(key);
    expect((await send(world.cas, 'DELETE', `${files}/${made.json.id}`)).statusCode).to.equal(403);
    expect((await send(world.ben, 'DELETE', `${files}/${made.json.id}`)).statusCode).to.equal(204);
    await world.host.settle();
    expect(await contents()).to.not.include(key);
    // What a kill between store and database leaves.
    const { services } = world.host;
    await services
      .get(storage)
      .area('attachments')
      .put(keyOf('aaaaaaaa-0000-0000-0000-000000000000'), Buffer.from('lost'));
    const stored = services.get(defineService<{ sweep(olderThan?: number): Promise<number> }>('attachments.contents'));
    expect(await stored.sweep()).to.equal(0);
    expect(await stored.sweep(-1000)).to.equal(1);
    expect((await send(world.ben, 'DELETE', `${api}/releases/${id}`)).statusCode).to.equal(204);
    await world.host.settle();
    expect((await contents()).length).to.equal(1);
    expect((await send(world.ada, 'DELETE', api)).statusCode).to.equal(204);
    await world.host.settle();
    expect(await contents()).to.equal([]);
  });
});
