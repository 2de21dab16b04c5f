import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { LfsBench } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('LFS locks', () => {
  let bench: LfsBench;
  const at = 'open.git/info/lfs/locks';
  before(async () => {
    bench = await LfsBench.start({
      plugins: ['lfs', 'auth-basic', 'refs', 'files'],
      settings: { server: { LFS_LOCKS_PAGING_NUM: 3 } },
    });
    await bench.repository('open');
    const { ada, ben } = bench.users;
    const invite = {
      method: 'PUT',
      url: '/api/v1/repos/ada/open/collaborators/ben',
      payload: { permission: 'write' },
    } as const;
    expect((await bench.host.as(bench.actor(ada)).inject(invite)).statusCode).to.equal(204);
    for (let n = 0; n < 5; n++)
      expect((await bench.ask('POST', at, { as: n % 2 ? ben : ada, body: { path: `file ${n}` } })).statusCode).to.equal(
        201,
      );
  });
  after(() => bench.host.close());

  it('locks are listed page by page', async () => {
    const as = bench.users.ada;
    const first = await bench.ask('GET', at, { as });
    expect(first.json.locks).to.have.length(3);
    const second = await bench.ask('GET', `${at}?cursor=${first.json.next_cursor}&limit=100`, { as });
    expect(second.json.locks.map((lock: { path: string }) => lock.path)).to.equal(['file 3', 'file 4']);
    expect(second.json.next_cursor).to.be.undefined();
    const verified = await bench.ask('POST', `${at}/verify`, { as, body: { limit: 2 } });
    expect([verified.json.ours.length, verified.json.theirs.length]).to.equal([1, 1]);
    expect(verified.json.next_cursor).to.be.a.string();
    for (const bad of ['?cursor=x', '?limit=-1', '?id=1.5', '?path=%00'])
      expect((await bench.ask('GET', at + bad, { as })).statusCode, bad).to.equal(400);
  });

  it('are freed by their owner, or with force', async () => {
    const { ada, ben } = bench.users;
    const [lock] = (await bench.ask('GET', `${at}?path=file 1`, { as: ada })).json.locks;
    const free = (as: typeof ada, body: unknown) => bench.ask('POST', `${at}/${lock.id}/unlock`, { as, body });
    expect(lock.owner.name).to.equal('ben');
    expect((await free(ada, {})).statusCode).to.equal(403);
    expect((await free(ada, { force: true })).json.lock.path).to.equal('file 1');
    expect((await free(ben, {})).statusCode).to.equal(404);
    for (const id of ['x', '0', '-1', '9'.repeat(40)])
      expect((await bench.ask('POST', `${at}/${id}/unlock`, { as: ada, body: {} })).statusCode, id).to.be.within(
        400,
        404,
      );
  });

  it('are kept to by the REST surface', async () => {
    const { ada, ben } = bench.users;
    const write = (as: typeof ada, path: string) =>
      bench.host.as(bench.actor(as)).inject({
        method: 'POST',
        url: `/api/v1/repos/ada/open/contents/${path}`,
        payload: { content: Buffer.from('x').toString('base64'), message: 'x' },
      });
    await bench.ask('POST', at, { as: ada, body: { path: 'mine/a.psd' } });
    const refused = await write(ben, 'mine/a.psd');
    expect([refused.statusCode, refused.json.message]).to.equal([409, 'mine/a.psd is locked by ada.']);
    expect((await write(ben, 'mine/b.psd')).statusCode).to.equal(201);
    expect((await write(ada, 'mine/a.psd')).statusCode).to.equal(201);
  });

  it('are made once, however many ask at the same time', async () => {
    const { ada, ben } = bench.users;
    const answers = await Promise.all(
      [ada, ben, ada, ben].map((as) => bench.ask('POST', at, { as, body: { path: 'race.psd' } })),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).to.equal([201, 409, 409, 409]);
  });
});
