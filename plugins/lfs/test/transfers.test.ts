/** U1: objects of LFS are wherever the commits are that name them. */
import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Problem, definePlugin } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { basicAuth, signUp, type SignedIn } from '@mortise/accounts/testing';
import { externalContents, gitReader, gitStore, refUpdates, zeroOid } from '@mortise/git/api';
import { fileChanges } from '@mortise/files/api';
import { repositories, type Repository } from '@mortise/repositories/api';
import { formatPointer, lfsObjects, type LfsPointer } from '../contract/lfs.js';
import { contentOf, lfsType, type Content } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What the tests look at in answers of the API. */
interface ApiAnswer {
  readonly number: number;
  readonly commit: { readonly sha: string };
  readonly content: { readonly sha: string; readonly path: string };
}

interface Pair {
  readonly name: string;
  /** `ada/NAME` */
  readonly base: Repository;
  /** `ben/NAME` */
  readonly fork: Repository;
}

describe('LFS objects follow their commits', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: SignedIn;
  let ben: SignedIn;
  let made = 0;
  let fails = false;
  const failing = definePlugin({
    name: 'failing',
    version: '1.0.0',
    sdk: '^1.0.0',
    requires: { git: '^1.0.0' },
    register(plugin) {
      plugin.contribute(externalContents, {
        key: 'failing',
        async share() {
          if (fails) throw new Problem('unavailable', 'The storage is away.');
        },
      });
    },
  });

  const send = async (by: SignedIn, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
    const answer = await by.inject({ method, url: `/api/v1${path}`, ...(payload && { payload }) });
    expect(answer.statusCode, `${method} ${path}: ${answer.payload}`).to.be.below(300);
    return answer.json as ApiAnswer;
  };
  const find = async (path: string): Promise<Repository> => {
    const [owner = '', name = ''] = path.split('/');
    return (await host.services.get(repositories).byPath(owner, name))!;
  };
  const upload = async (path: string, { oid, size, bytes }: Content) => {
    const answer = await host.inject({
      method: 'PUT',
      url: `/${path}.git/info/lfs/objects/${oid}/${size}`,
      headers: { authorization: basicAuth(path.split('/')[0]!), 'content-type': 'application/octet-stream' },
      payload: bytes,
    });
    expect(answer.statusCode).to.equal(200);
  };
  /** What a client gets that checks out a commit which names the object. */
  const download = async (path: string, { oid, size }: LfsPointer): Promise<string | undefined> => {
    const batch = await host.inject({
      method: 'POST',
      url: `/${path}.git/info/lfs/objects/batch`,
      headers: { accept: lfsType, 'content-type': lfsType },
      payload: JSON.stringify({ operation: 'download', objects: [{ oid, size }] }),
    });
    const href = (batch.json.objects as { actions?: { download: { href: string } } }[])[0]?.actions?.download.href;
    return href && (await host.inject({ url: new URL(href).pathname })).rawPayload.toString();
  };
  const random = () => contentOf(randomBytes(20).toString('hex'));
  /** A commit with a pointer in it, over the API. */
  const commit = (by: SignedIn, path: string, content: LfsPointer, branch: string, into?: string) =>
    send(by, 'POST', `/repos/${path}/contents/${content.oid.slice(0, 12)}.bin`, {
      content: Buffer.from(formatPointer(content)).toString('base64'),
      message: 'a large file',
      branch,
      ...(into && { new_branch: into }),
    });
  const forkOf = async (): Promise<Pair> => {
    const name = `large-${++made}`;
    await send(ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    await send(ben, 'POST', `/repos/ada/${name}/forks`, {});
    return { name, base: await find(`ada/${name}`), fork: await find(`ben/${name}`) };
  };
  const propose = async ({ name }: Pair) =>
    (await send(ben, 'POST', `/repos/ada/${name}/pulls`, { head: 'ben:topic', base: 'main', title: 'x' })).number;
  /** A pull request from a fork with a large file, whose object the fork has. */
  const proposed = async () => {
    const pair = await forkOf();
    const content = random();
    await upload(`ben/${pair.name}`, content);
    await commit(ben, `ben/${pair.name}`, content, 'main', 'topic');
    return { ...pair, content, index: await propose(pair) };
  };
  const drop = async ({ fork }: Pair) => {
    await host.services.get(repositories).delete(fork);
    await host.settle();
  };

  before(async () => {
    host = await startHost({
      plugins: ['lfs', 'auth-basic', 'auth-token', 'git-http', 'forks', 'pulls', 'files', 'refs', failing],
    });
    [ada, ben] = [await signUp(host, 'ada'), await signUp(host, 'ben')];
  });
  after(() => host.close());

  it('U1: a clone of the base can check out refs/pull/N/head of a fork, also when the fork is gone', async () => {
    const { content, index, ...pair } = await proposed();
    const head = await host.services.get(gitReader).open(pair.base.id).ref(`refs/pull/${index}/head`);
    expect(head).to.exist();
    expect(await download(`ada/${pair.name}`, content)).to.equal(content.bytes.toString());
    await drop(pair);
    expect(await download(`ada/${pair.name}`, content)).to.equal(content.bytes.toString());
  });

  it('U1: what is pushed to the head later comes to the base too', async () => {
    const { name } = await proposed();
    const later = random();
    await upload(`ben/${name}`, later);
    await commit(ben, `ben/${name}`, later, 'topic');
    await host.settle();
    expect(await download(`ada/${name}`, later)).to.equal(later.bytes.toString());
  });

  for (const style of ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only'])
    it(`U1: a merge by ${style} brings objects that the fork got after the pull request was opened`, async () => {
      const pair = await forkOf();
      const content = random();
      await commit(ben, `ben/${pair.name}`, content, 'main', 'topic');
      const index = await propose(pair);
      expect(await download(`ada/${pair.name}`, content)).to.be.undefined();
      await upload(`ben/${pair.name}`, content);
      if (style !== 'fast-forward-only') await commit(ada, `ada/${pair.name}`, random(), 'main');
      await host.settle();
      await send(ada, 'POST', `/repos/ada/${pair.name}/pulls/${index}/merge`, { do: style });
      await host.settle();
      await drop(pair);
      expect(await download(`ada/${pair.name}`, content)).to.equal(content.bytes.toString());
    });

  for (const style of ['merge', 'rebase'])
    it(`U1: updating a pull request by ${style} brings the objects of the base into the fork`, async () => {
      const { name, index } = await proposed();
      const content = random();
      await upload(`ada/${name}`, content);
      await commit(ada, `ada/${name}`, content, 'main');
      await host.settle();
      await send(ben, 'POST', `/repos/ada/${name}/pulls/${index}/update?style=${style}`);
      expect(await download(`ben/${name}`, content)).to.equal(content.bytes.toString());
    });

  for (const isAhead of [false, true])
    it(`U1: a fork that is synchronised${isAhead ? ' by a merge' : ''} gets the objects of its original`, async () => {
      const { name } = await forkOf();
      const content = random();
      await upload(`ada/${name}`, content);
      await commit(ada, `ada/${name}`, content, 'main');
      if (isAhead) await commit(ben, `ben/${name}`, random(), 'main');
      await send(ben, 'POST', `/repos/ben/${name}/merge-upstream`, { branch: 'main' });
      expect(await download(`ben/${name}`, content)).to.equal(content.bytes.toString());
    });

  it('U1: commits of a pull request are cherry-picked and reverted with their objects there', async () => {
    const { name, base, content, index, ...rest } = await proposed();
    const head = await host.services.get(gitReader).open(base.id).ref(`refs/pull/${index}/head`);
    const changes = host.services.get(fileChanges);
    const pick = (revert: boolean) =>
      changes.apply(base, ada.actor, { operations: [], pick: { commit: head!.oid, revert }, message: 'picked' });
    await pick(false);
    await drop({ name, base, ...rest });
    expect(await download(`ada/${name}`, content)).to.equal(content.bytes.toString());
    const { commit: reverted } = await pick(true);
    expect(reverted.message).to.equal('picked\n');
  });

  it('U1: a branch of a fork that is restored from the base has its objects', async () => {
    const { name, base, fork } = await forkOf();
    const content = random();
    await upload(`ada/${name}`, content);
    const { commit: added } = await commit(ada, `ada/${name}`, content, 'main');
    await host.services.get(gitStore).fetchObjects(base.id, fork.id, [added.sha]);
    await host.services.get(refUpdates).apply({
      repositoryId: fork.id,
      updates: [{ ref: 'refs/heads/restored', old: zeroOid, new: added.sha }],
      pusher: ben.actor,
      source: 'merge',
    });
    expect(await download(`ben/${name}`, content)).to.equal(content.bytes.toString());
  });

  it('U1: a repository made from a template has the objects of its files, and of nothing else', async () => {
    const name = `template-${++made}`;
    await send(ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main', template: true });
    const [former, present, unnamed] = [random(), random(), random()];
    for (const content of [former, present, unnamed]) await upload(`ada/${name}`, content);
    const { content: file } = await commit(ada, `ada/${name}`, former, 'main');
    await send(ada, 'DELETE', `/repos/ada/${name}/contents/${file.path}`, { sha: file.sha, message: 'gone' });
    await commit(ada, `ada/${name}`, present, 'main');
    const target = { owner: 'ben', name: `made-${made}`, git_content: true };
    await send(ben, 'POST', `/repos/ada/${name}/generate`, target);
    await host.services.get(repositories).delete(await find(`ada/${name}`));
    await host.settle();
    const got = await Promise.all([former, present, unnamed].map((one) => download(`ben/made-${made}`, one)));
    expect(got).to.equal([undefined, present.bytes.toString(), undefined]);
  });

  it('C8: media/blob gives the object of a pointer, and raw/blob the pointer', async () => {
    const { name } = await forkOf();
    const content = random();
    await upload(`ada/${name}`, content);
    const { content: file } = await commit(ada, `ada/${name}`, content, 'main');
    const media = await host.inject({ url: `/ada/${name}/media/blob/${file.sha}` });
    expect([media.statusCode, media.payload]).to.equal([200, content.bytes.toString()]);
    expect((await host.inject({ url: `/ada/${name}/raw/blob/${file.sha}` })).payload).to.equal(formatPointer(content));
    const range = await host.inject({ url: `/ada/${name}/media/blob/${file.sha}`, headers: { range: 'bytes=2-5' } });
    expect([range.statusCode, range.payload]).to.equal([206, content.bytes.toString().slice(2, 6)]);
  });

  it('U1: a repository keeps its objects when it is transferred', async () => {
    const { name, base } = await forkOf();
    const content = random();
    await upload(`ada/${name}`, content);
    await host.services.get(repositories).delete(await find(`ben/${name}`));
    await send(ada, 'POST', `/repos/ada/${name}/transfer`, { new_owner: 'ben' });
    await send(ben, 'POST', `/repos/ada/${name}/transfer/accept`);
    expect((await find(`ben/${name}`)).id).to.equal(base.id);
    expect(await download(`ben/${name}`, content)).to.equal(content.bytes.toString());
  });

  it('U1: no reference moves where the objects cannot be shared', async () => {
    const pair = await forkOf();
    const git = host.services.get(gitReader).open(pair.base.id);
    const content = random();
    await upload(`ben/${pair.name}`, content);
    await commit(ben, `ben/${pair.name}`, content, 'main', 'topic');
    const by = (who: SignedIn, path: string, payload: object) =>
      who.inject({ method: 'POST', url: `/api/v1/repos/ada/${pair.name}${path}`, payload });
    fails = true;
    const opened = await by(ben, '/pulls', { head: 'ben:topic', base: 'main', title: 'x' });
    expect([opened.statusCode, await git.refs('refs/pull/')]).to.equal([503, []]);
    fails = false;
    const index = await propose(pair);
    const before = await git.branch('main');
    fails = true;
    expect((await by(ada, `/pulls/${index}/merge`, { do: 'merge' })).statusCode).to.equal(503);
    fails = false;
    expect(await git.branch('main')).to.equal(before);
  });

  it('U1: only commits that are new to the repository are looked at', async () => {
    const { name } = await forkOf();
    const [old, fresh] = [random(), random()];
    // named by a commit that both have
    await commit(ada, `ada/${name}`, old, 'main');
    await send(ben, 'POST', `/repos/ben/${name}/merge-upstream`, { branch: 'main' });
    for (const content of [old, fresh]) await upload(`ben/${name}`, content);
    await commit(ben, `ben/${name}`, fresh, 'main', 'topic');
    await send(ben, 'POST', `/repos/ada/${name}/pulls`, { head: 'ben:topic', base: 'main', title: 'x' });
    const got = await Promise.all([old, fresh].map((one) => download(`ada/${name}`, one)));
    expect(got).to.equal([undefined, fresh.bytes.toString()]);
  });

  it('U1: a transfer of many objects asks the database for parts, and lists what is missing', async () => {
    const { base, fork } = await forkOf();
    const contents = Array.from({ length: 1203 }, random);
    const kept = contents.slice(0, 1201);
    await host.database.write(async () => {
      for (let at = 0; at < kept.length; at += 300)
        await host.database
          .knex()('lfs_object')
          .insert(
            kept
              .slice(at, at + 300)
              .map(({ oid, size }) => ({ repository_id: fork.id, oid, size, created_at: 1, seen_at: 1 })),
          );
    });
    const files = contents.map((content, at) => ({
      operation: 'create' as const,
      path: `${at}.bin`,
      content: Buffer.from(formatPointer(content)).toString('base64'),
    }));
    const request = { operations: files, branch: 'main', newBranch: 'topic', message: 'many' };
    const { commit: tip } = await host.services.get(fileChanges).apply(fork, ben.actor, request);
    const { database } = host;
    const query = database.query.bind(database);
    let asked = 0;
    database.query = (model) => {
      asked++;
      return query(model);
    };
    await host.services.get(gitStore).fetchObjects(fork.id, base.id, [tip.oid]);
    database.query = query;
    // one look whether there is anything to share, then two for each of three parts
    expect(asked).to.equal(7);
    const objects = host.services.get(lfsObjects);
    const oids = contents.map(({ oid }) => oid);
    expect((await objects.find(base.id, oids)).size).to.equal(kept.length);
    const missing: string[] = [];
    for await (const { oid } of objects.missing(base.id, { tips: [tip.oid] })) missing.push(oid);
    expect(missing.sort()).to.equal(oids.slice(1201).sort());
  });
});
