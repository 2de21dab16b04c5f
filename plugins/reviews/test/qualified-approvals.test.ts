import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { api, done, makeWorld, open, send, write, type ReviewJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

describe('approvals that count', () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['organizations']);
  });
  after(() => world.host.close());
  const free = (base = api) => send(world.ada, 'DELETE', `${base}/branch_protections/main`);
  afterEach(() => free());

  const rule = async (fields: object, base = api) => {
    await free(base);
    await done(world.ada, 'POST', `${base}/branch_protections`, { rule_name: 'main', ...fields });
  };
  const approve = (by: TestClient, at: string) =>
    done<ReviewJson>(by, 'POST', `${at}/reviews`, { event: 'APPROVED', body: 'x' });
  const merge = async (at: string, by: TestClient = world.ben) => {
    const { status, body } = await send<{ message: string }>(by, 'POST', `${at}/merge`, { do: 'merge' });
    return status === 200 ? 'merged' : `${status} ${body.message}`;
  };
  const official = async (at: string) =>
    (await done<ReviewJson[]>(world.ada, 'GET', `${at}/reviews`)).map((one) => `${one.user?.login} ${one.official}`);
  const settle = () => world.host.settle();

  it('S2: an approval by whoever pushed to the head since it was opened counts no more, by whatever way', async () => {
    const { ada, ben, cas } = world;
    const ways: Record<string, (branch: string, at: string) => Promise<unknown>> = {
      contents: (branch) => write(ben, branch, { 'more.txt': `${branch}\n` }),
      update: async (branch, at) => {
        await write(ada, 'main', { [`base-${branch}.txt`]: 'x\n' });
        await settle();
        await done(ben, 'POST', `${at}/update`);
      },
    };
    await rule({ required_approvals: 1, enable_push: true });
    for (const [name, push] of Object.entries(ways)) {
      const { at, branch, number } = await open(world, { [`${name}.txt`]: '1\n' });
      await approve(ben, at);
      expect(await official(at), name).to.equal(['ben true']);
      await push(branch, at);
      await settle();
      expect(await merge(at), name).to.match(/^405 .*0 of 1/);
      expect(await official(at), name).to.equal(['ben false']);
      expect((await ada.inject(`/ada/desk/pulls/${number}`)).payload).to.include('1 approval does not count');
      // approving what one pushed changes nothing, another does
      await approve(ben, at);
      expect(await merge(at), name).to.match(/^405 .*0 of 1/);
      await approve(cas, at);
      expect(await merge(at), name).to.equal('merged');
    }
  });

  it('S2: of pushes before it was opened the newest alone keeps its account from approving', async () => {
    const { ada, ben, cas } = world;
    await rule({ required_approvals: 1 });
    const openedByCas = async (head: string) => {
      const body = { title: head, base: 'main', head };
      const { number } = await done<{ number: number }>(cas, 'POST', `${api}/pulls`, body);
      await settle();
      return `${api}/pulls/${number}`;
    };
    await write(ben, 'prepared', { 'prepared.txt': '1\n' });
    const prepared = await openedByCas('prepared');
    await approve(ben, prepared);
    expect(await merge(prepared)).to.match(/^405 .*0 of 1/);
    await approve(ada, prepared);
    expect(await merge(prepared)).to.equal('merged');
    // somebody else has pushed on top
    await write(ben, 'shared', { 'shared.txt': '1\n' });
    await write(ada, 'shared', { 'shared.txt': '2\n' });
    const shared = await openedByCas('shared');
    await approve(ada, shared);
    expect(await merge(shared)).to.match(/^405 .*0 of 1/);
    await approve(ben, shared);
    expect(await merge(shared)).to.equal('merged');
  });

  it('S2: who renames the branch pushed nothing, and who pushed it stays known', async () => {
    const { ada, ben, cas } = world;
    const { at, branch } = await open(world, { 'renamed.txt': '1\n' });
    await write(ben, branch, { 'renamed.txt': '2\n' });
    await done(cas, 'PATCH', `${api}/branches/${branch}`, { name: `${branch}-new` });
    await settle();
    await rule({ required_approvals: 1 });
    await approve(ben, at);
    expect(await merge(at, ada)).to.match(/^405 .*0 of 1/);
    await approve(cas, at);
    expect(await merge(at, ada)).to.equal('merged');
  });

  it('S2: an approval of an account that may not act any more counts for nothing', async () => {
    const { host, cas } = world;
    const { at } = await open(world, { 'inactive.txt': '1\n' });
    await rule({ required_approvals: 1 });
    await approve(cas, at);
    const service = host.services.get(accounts);
    const account = (await service.byNames(['cas'])).get('cas')!;
    await service.update(account.id, { prohibitLogin: true });
    expect(await merge(at)).to.match(/^405 .*0 of 1/);
    expect(await official(at)).to.equal(['cas false']);
    await service.update(account.id, { prohibitLogin: false });
    expect(await merge(at)).to.equal('merged');
  });

  it('S2: a reader whom the rule names may not write, and does not count', async () => {
    const { dot, cas } = world;
    const { at } = await open(world, { 'listed.txt': '1\n' });
    await rule({
      required_approvals: 1,
      enable_approvals_whitelist: true,
      approvals_whitelist_username: ['dot', 'cas'],
    });
    await approve(dot, at);
    expect(await merge(at)).to.match(/^405 .*0 of 1/);
    await approve(cas, at);
    expect(await merge(at)).to.equal('merged');
  });

  it('S2: a name of CODEOWNERS without the right to write counts for nothing, and the page of the file says so', async () => {
    const { ada, ben, dot, cas } = world;
    await write(ada, 'main', { CODEOWNERS: 'lib/.* @dot @nobody\nsrc/.* @ben @dot\ndoc* @ben\n' });
    const page = async (by: TestClient) => (await by.inject('/ada/desk/src/branch/main/CODEOWNERS')).payload;
    expect(await page(ada)).to.match(/Line 1:[^<]*dot, nobody[\s\S]*Line 2:[^<]*dot/);
    expect(await page(ada)).to.match(/Line 3:[^<]*<code>doc\*<\/code>/);
    expect(await page(dot))
      .to.include('<code>doc*</code>')
      .and.not.to.include('dot, nobody');
    await write(ada, 'main', { CODEOWNERS: 'lib/.* @dot @nobody\nsrc/.* @ben @dot\n' });
    const { at } = await open(world, { 'src/a.txt': '1\n' });
    await rule({ block_on_codeowner_reviews: true });
    await approve(dot, at);
    expect(await merge(at)).to.match(/^405 .*src\/\.\*/);
    await approve(ben, at);
    expect(await merge(at)).to.equal('merged');
    const other = await open(world, { 'lib/a.txt': '1\n' });
    for (const by of [dot, ben, cas]) await approve(by, other.at);
    expect(await merge(other.at)).to.match(/^405 .*lib\/\.\*/);
  });

  it('S2: a rule whose only owner opened it is met while all commits are theirs', async () => {
    const { ada, ben, cas } = world;
    await write(ada, 'main', { CODEOWNERS: 'own/.* @ada @dot\n' });
    const first = await open(world, { 'own/a.txt': '1\n' });
    await rule({ block_on_codeowner_reviews: true });
    expect(await merge(first.at)).to.equal('merged');
    const second = await open(world, { 'own/b.txt': '1\n' });
    await write(cas, second.branch, { 'own/c.txt': '1\n' });
    await settle();
    expect(await merge(second.at)).to.match(/^405 .*own\/\.\*/);
    // also what was pushed before it was opened
    await write(ben, 'theirs', { 'own/d.txt': '1\n' });
    const body = { title: 'Theirs', base: 'main', head: 'theirs' };
    const { number } = await done<{ number: number }>(ada, 'POST', `${api}/pulls`, body);
    await settle();
    expect(await merge(`${api}/pulls/${number}`)).to.match(/^405 .*own\/\.\*/);
    // who had pushed is unknown of what was opened before it was recorded
    const third = await open(world, { 'own/e.txt': '1\n' });
    await world.host.database.write(async () => void (await world.host.database.knex()('branch_pusher').delete()));
    expect(await merge(third.at)).to.match(/^405 .*own\/\.\*/);
  });

  it('S2: a space of no break before an owner is a space, and what nobody sees closes the gate', async () => {
    const { ada, ben } = world;
    await write(ada, 'main', { CODEOWNERS: 'nbsp/.*\u00a0@ben\n' });
    const { at } = await open(world, { 'nbsp/a.txt': '1\n' });
    await rule({ block_on_codeowner_reviews: true });
    expect(await merge(at)).to.match(/^405 .*nbsp\/\.\*/);
    await free();
    await write(ada, 'main', { CODEOWNERS: 'nbsp/.*\u200b@ben\n' });
    await rule({ block_on_codeowner_reviews: true });
    await approve(ben, at);
    expect(await merge(at)).to.match(/^405 /);
    await free();
    await write(ada, 'main', { CODEOWNERS: '' });
  });

  it('U11: CODEOWNERS may begin with a mark of its byte order', async () => {
    const { ada, ben } = world;
    await write(ada, 'main', { CODEOWNERS: '\uFEFFmarked/.* @ben\n' });
    const { at } = await open(world, { 'marked/a.txt': '1\n' });
    await rule({ block_on_codeowner_reviews: true });
    expect(await merge(at)).to.match(/^405 .*marked\/\.\*/);
    await approve(ben, at);
    expect(await merge(at)).to.equal('merged');
    await free();
    await write(ada, 'main', { CODEOWNERS: '' });
  });

  it('S2: a line that cannot be understood blocks, and the message names it; a glob is understood', async () => {
    const { ada, ben } = world;
    await write(ada, 'main', { CODEOWNERS: '# who\n*.glob @ben\ndoc* @ben\n' });
    const { at } = await open(world, { 'a.glob': '1\n' });
    await rule({ block_on_codeowner_reviews: true });
    expect(await merge(at)).to.match(/^405 .*3 \(doc\*\)/);
    await free();
    await write(ada, 'main', { CODEOWNERS: '# who\n*.glob @ben\n' });
    await rule({ block_on_codeowner_reviews: true });
    expect(await merge(at)).to.match(/^405 .*\*\.glob/);
    await approve(ben, at);
    expect(await merge(at)).to.equal('merged');
  });

  it('S2: a file with more names than are looked for blocks, and is no failure of the server', async () => {
    const { ada, ben } = world;
    const names = Array.from({ length: 33_000 }, (_, index) => `@${index.toString(36)}`);
    await write(ada, 'main', { CODEOWNERS: `.* @ben ${names.join(' ')}\n` });
    const { at } = await open(world, { 'many.txt': '1\n' });
    await rule({ block_on_codeowner_reviews: true });
    await approve(ben, at);
    expect(await merge(at)).to.match(/^405 .*too large/);
    expect((await ada.inject('/ada/desk/src/branch/main/CODEOWNERS')).statusCode).to.equal(200);
    await free();
    await write(ada, 'main', { CODEOWNERS: '' });
  });

  it('S2: a team owns code where it may write it', async () => {
    const { ada, ben, host } = world;
    await done(ada, 'POST', '/api/v1/orgs', { username: 'guild' });
    await done(ada, 'POST', '/api/v1/orgs/guild/repos', { name: 'desk', auto_init: true, default_branch: 'main' });
    const base = '/api/v1/repos/guild/desk';
    const made = async (name: string, permission: string) => {
      const fields = { name, units_map: { 'repo.code': permission, 'repo.pulls': permission } };
      const { id } = await done<{ id: number }>(ada, 'POST', '/api/v1/orgs/guild/teams', fields);
      await done(ada, 'PUT', `/api/v1/teams/${id}/members/ben`);
      await done(ada, 'PUT', `/api/v1/teams/${id}/repos/guild/desk`);
      return id;
    };
    await made('readers', 'read');
    await made('writers', 'write');
    const file = (text: string) => ({ content: Buffer.from(text).toString('base64'), message: 'x' });
    const put = (path: string, text: string, more: object) =>
      done(ada, 'POST', `${base}/contents/${path}`, { ...file(text), ...more });
    await put('CODEOWNERS', 'a/.* @guild/readers\nb/.* @guild/writers\n', { branch: 'main' });
    const pull = async (path: string) => {
      await put(`${path}/x.txt`, 'x', { branch: 'main', new_branch: path });
      const body = { title: path, base: 'main', head: path };
      const { number } = await done<{ number: number }>(ada, 'POST', `${base}/pulls`, body);
      await host.settle();
      return `${base}/pulls/${number}`;
    };
    const [ofReaders, ofWriters] = [await pull('a'), await pull('b')];
    await rule({ block_on_codeowner_reviews: true }, base);
    for (const at of [ofReaders, ofWriters]) await approve(ben, at);
    expect(await merge(ofReaders)).to.match(/^405 .*a\/\.\*/);
    expect(await merge(ofWriters)).to.equal('merged');
  });
});
