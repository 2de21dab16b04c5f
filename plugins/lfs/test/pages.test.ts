import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import type { TestResponse } from '@mortise/plugin-sdk/testing';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { formatPointer } from '../contract/lfs.js';
import { contentOf, LfsBench } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('LFS pages', () => {
  let bench: LfsBench;
  let cookie: string;
  let csrf: string;
  const held = contentOf('the content');
  const lost = contentOf('never uploaded');
  const base = '/ada/art/settings/lfs';

  const get = (path = '', headers: Record<string, string> = { cookie }) =>
    bench.host.inject({ url: base + path, headers });
  const post = (path: string, fields: Record<string, string>) =>
    submitForm(bench.host, base + path, { _csrf: csrf, ...fields }, { cookie });
  const cookiesOf = (answer: TestResponse) =>
    [answer.headers['set-cookie'] ?? []].flat().map((one) => String(one).split(';')[0]);
  const tokenOf = (answer: TestResponse) => /name="_csrf" value="([^"]+)"/.exec(answer.payload)?.[1] ?? '';

  before(async () => {
    bench = await LfsBench.start({ plugins: ['lfs', 'auth-basic', 'sessions'] });
    const repository = await bench.repository('art');
    await bench.put('art', held, held.bytes, bench.users.ada);
    const writer = bench.host.services.get(gitWriter);
    const signature = { name: 'A', email: 'a@example.com', time: Date.now(), zone: '+0000' };
    const tree = await writer.writeTree(repository.id, undefined, [
      { path: 'a/one.psd', content: formatPointer(held) },
      { path: 'b/the same <b>.psd', content: formatPointer(held) },
      { path: 'lost.psd', content: formatPointer(lost) },
      { path: 'README.md', content: 'no pointer' },
    ]);
    const oid = await writer.writeCommit(repository.id, {
      tree,
      parents: [],
      author: signature,
      committer: signature,
      message: 'x',
    });
    await bench.host.services.get(refUpdates).apply({
      repositoryId: repository.id,
      updates: [{ ref: 'refs/heads/main', old: zeroOid, new: oid }],
      pusher: bench.actor(bench.users.ada),
      source: 'internal',
    });
    const form = await bench.host.inject('/user/login');
    const answer = await submitForm(
      bench.host,
      '/user/login',
      { _csrf: tokenOf(form), user_name: 'ada', password: 'long enough' },
      { cookie: cookiesOf(form).join('; ') },
    );
    cookie = cookiesOf(answer).join('; ');
    csrf = tokenOf(await get());
  });
  after(() => bench.host.close());

  it('list objects and give them out', async () => {
    const page = await get();
    expect(page.statusCode).to.equal(200);
    expect(page.payload).to.contain([held.oid, '11 B in total', `${base}/objects/${held.oid}`]);
    const file = await get(`/objects/${held.oid}`);
    expect([file.payload, file.headers['content-type']]).to.equal(['the content', 'application/octet-stream']);
    expect(file.headers['content-disposition']).to.match(/^attachment/);
    expect((await get(`/objects/${lost.oid}`)).statusCode).to.equal(404);
    expect((await get(`?q=${held.oid.slice(0, 9)}`)).payload).to.contain(held.oid);
    expect((await get('?q=%25')).statusCode).to.equal(200);
    expect((await get('?page=0')).statusCode).to.equal(422);
  });

  it('find all pointer files, and those that lead nowhere', async () => {
    const { payload } = await get('/pointers');
    expect(payload).to.contain(['a/one.psd', 'b/the same &lt;b>.psd', 'lost.psd', 'Object missing']);
    expect(payload).not.to.contain('README.md</a>');
    const some = (await get(`/pointers?q=${lost.oid}`)).payload;
    expect(some).to.contain('lost.psd');
    expect(some).not.to.contain('a/one.psd');
  });

  it('the page of LFS locks locks files and unlocks them', async () => {
    expect((await post('/locks', { path: './a/one.psd' })).statusCode).to.equal(303);
    const page = await get('/locks?saved=1');
    expect(page.payload).to.contain(['a/one.psd', 'Unlock', 'have been saved.']);
    const again = await post('/locks', { path: 'a/one.psd' });
    expect([again.statusCode, again.payload.includes('already locked')]).to.equal([422, true]);
    const id = /name="remove" value="(\d+)"/.exec(page.payload)?.[1] ?? '';
    expect((await post('/locks', { remove: id })).statusCode).to.equal(303);
    expect((await get('/locks')).payload).to.contain('No locks');
    expect((await post('/locks', { path: '' })).statusCode).to.equal(422);
    expect((await post('/locks', { remove: 'x' })).statusCode).to.equal(404);
  });

  it('the page of LFS objects deletes objects that no commit needs', async () => {
    expect((await post('', { remove: held.oid })).statusCode).to.equal(303);
    expect((await get()).payload).not.to.contain(held.oid);
    expect((await post('', { remove: held.oid })).statusCode).to.equal(404);
  });

  it('are for who administers the repository', async () => {
    expect((await get('', {})).statusCode).to.equal(303);
    const ben = bench.host.as(bench.actor(bench.users.ben));
    for (const path of ['', '/pointers', '/locks', `/objects/${held.oid}`])
      expect((await ben.inject(base + path)).statusCode, path).to.equal(403);
  });

  it('are in the language of who reads', async () => {
    const german = async (path: string) => (await get(path, { cookie, 'accept-language': 'de' })).payload;
    expect(await german('')).to.contain(['Noch keine Objekte', 'Zeigerdateien']);
    expect(await german('/pointers')).to.contain(['Objekt fehlt', 'auf <strong>main</strong>']);
    expect(await german('/locks')).to.contain(['Keine Sperren', 'Datei sperren']);
  });
});
