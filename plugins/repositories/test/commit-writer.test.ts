import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Forbidden, Invalid, type Actor } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { actorOf, createAccount } from '@mortise/accounts/testing';
import {
  commitPayload,
  defineFact,
  gitReader,
  gitWriter,
  refChecks,
  refsUpdated,
  refUpdates,
  type RefsUpdated,
} from '@mortise/git/api';
import { commitSigners, commitWriter, type Repository } from '../api.js';
import type { CommitAction, CommitRequest } from '../contract/commits.js';
import { createRepository } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const word = defineFact<string>('test.word');

describe('the writer of commits', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: Account;
  let actor: Actor;
  const asked: { action: CommitAction; parents: number; brought: number | undefined }[] = [];
  const signed: string[] = [];
  const heard: RefsUpdated[] = [];
  let signs: CommitAction | undefined;

  before(async () => {
    const extras = definePlugin({
      name: 'test-extras',
      version: '1.0.0',
      sdk: '*',
      requires: { git: '^1.0.0', repositories: '^1.0.0' },
      register(plugin) {
        plugin.contribute(commitSigners, {
          key: 'site',
          async signer({ action, parents, commits }) {
            asked.push({ action, parents: parents.length, brought: (await commits())?.length });
            if (action !== signs) return undefined;
            const sign = async (payload: string | Buffer) => {
              signed.push(String(payload));
              return '-----BEGIN X-----\nx\n-----END X-----';
            };
            return { name: 'Site', email: 'site@example.com', sign };
          },
        });
        plugin.contribute(refChecks, {
          key: 'closed',
          check: async ({ updates }) => {
            if (updates.some(({ ref }) => ref === 'refs/heads/closed')) throw Forbidden('this branch is closed');
          },
        });
        plugin.on(refsUpdated, 'after', 'hear', {}, async (moved) => void heard.push(moved));
      },
    });
    host = await startHost({ plugins: ['repositories', extras] });
    ada = await createAccount(host, 'ada');
    actor = actorOf(host, ada);
  });
  after(() => host.close());

  const writer = () => host.services.get(commitWriter);
  const git = (repository: Repository) => host.services.get(gitReader).open(repository.id);
  const treeWith = (repository: Repository, head: string | undefined, path: string) =>
    host.services.get(gitWriter).writeTree(repository.id, head, [{ path, content: path }]);
  const add = (repository: Repository, path: string, more: Partial<CommitRequest> = {}) =>
    writer().commit({
      repositoryId: repository.id,
      branch: 'main',
      actor,
      source: 'web',
      action: 'crud',
      plan: async (head) => ({ tree: await treeWith(repository, head, path), message: `Add ${path}` }),
      ...more,
    });

  it('writes for people with their public address, and tells facts', async () => {
    const repository = await createRepository(host, ada, { name: 'plain' });
    await host.services.get(accounts).update(ada.id, { fullName: 'Ada <L>', keepEmailPrivate: true });
    const first = await add(repository, 'a', {
      plan: async (head) => ({ tree: await treeWith(repository, head, 'a'), message: 'a', facts: word.with('hello') }),
    });
    expect(first.head).to.be.undefined();
    const commit = await git(repository).commit(first.commit!);
    expect(commit.author.name).to.equal('Ada L');
    expect(commit.author.email).to.match(/ada@/).and.not.to.equal(ada.email);
    expect(commit.committer).to.equal(commit.author);
    await host.events.deliverAll();
    expect(heard.filter((one) => one.repositoryId === repository.id).map((one) => word.of(one))).to.equal(['hello']);
    const nothing = await add(repository, 'b', { plan: async () => undefined });
    expect(nothing).to.equal({ commit: first.commit, head: first.commit });
  });

  it('loses nothing of thirty at once, nor of who goes past it', async () => {
    const repository = await createRepository(host, ada, { name: 'busy', autoInit: true });
    const all = Array.from({ length: 30 }, (_, index) => `file-${index}`);
    const overtake = async (head: string | undefined, turn: number) => {
      const tree = await treeWith(repository, head, `past-${turn}`);
      const who = await writer().signatureOf(actor);
      const draft = { tree, parents: [head!], author: who, committer: who, message: 'past' };
      const oid = await host.services.get(gitWriter).writeCommit(repository.id, draft);
      await host.services.get(refUpdates).apply({
        repositoryId: repository.id,
        updates: [{ ref: 'refs/heads/main', old: head!, new: oid }],
        pusher: actor,
        source: 'api',
      });
    };
    let turns = 0;
    const racing = add(repository, 'racer', {
      plan: async (head) => {
        // somebody else is faster twice
        if (++turns <= 2) await add(repository, `other-${turns}`, { branch: 'side' }).then(() => overtake(head, turns));
        return { tree: await treeWith(repository, head, 'racer'), message: 'race' };
      },
    });
    await Promise.all([racing, ...all.map((path) => add(repository, path))]);
    expect(turns).to.be.above(2);
    const head = (await git(repository).branch('main'))!.oid;
    const names = (await git(repository).tree(head)).map(({ name }) => name);
    expect(names).to.include([...all, 'racer', 'past-1', 'past-2']);
  });

  it('gives up on names that clash, and passes on what plans and checks refuse', async () => {
    const repository = await createRepository(host, ada, { name: 'odd', autoInit: true });
    await expect(add(repository, 'x', { branch: 'main/below' })).to.reject(/conflicts|changed/);
    await expect(add(repository, 'x', { branch: 'closed' })).to.reject('this branch is closed');
    const refused = add(repository, 'x', { plan: () => Promise.reject(Invalid('not like this')) });
    await expect(refused).to.reject('not like this');
    expect((await add(repository, 'x')).updated).to.exist();
  });

  it('asks whether the site signs, once for a list of commits', async () => {
    const repository = await createRepository(host, ada, { name: 'signed', autoInit: true });
    const base = (await git(repository).branch('main'))!.oid;
    for (const path of ['one', 'two'])
      await add(repository, path, { branch: 'topic', plan: async (head) => topic(repository, head ?? base, path) });
    const head = (await git(repository).branch('topic'))!.oid;
    await add(repository, 'apart');
    const onto = (await git(repository).branch('main'))!.oid;
    signs = 'merge';
    asked.length = signed.length = 0;
    const finish = await writer().signing({
      repositoryId: repository.id,
      action: 'merge',
      actor,
      parents: [onto, head],
    });
    const options = { head, upstream: base, onto, finish };
    const rebased = (await host.services.get(gitWriter).rebase(repository.id, options)).head!;
    expect(asked).to.equal([{ action: 'merge', parents: 2, brought: 2 }]);
    expect(signed).to.have.length(2);
    for (const oid of [rebased, (await git(repository).commit(rebased)).parents[0]!]) {
      const commit = await git(repository).commit(oid);
      expect(commit.committer.name).to.equal('Site');
      expect(commit.author.name).to.equal('Ada L');
      expect(signed).to.include(commit.payload!);
    }
    const who = await writer().signatureOf(actor);
    const { tree } = await git(repository).commit(rebased);
    const draft = { tree, parents: [onto, head], author: who, committer: who, message: 'Merge <it>\0' };
    const place = { repositoryId: repository.id, actor };
    const merge = await git(repository).commit(await writer().write(draft, { ...place, action: 'merge' }));
    expect(merge.payload)
      .to.equal(signed.at(-1))
      .and.to.equal(commitPayload({ ...draft, committer: merge.committer }));
    expect(merge.signature).to.exist();
    const plain = await git(repository).commit(await writer().write(draft, { ...place, action: 'crud' }));
    expect(plain.signature).to.be.undefined();
  });

  const topic = async (repository: Repository, head: string, path: string) => ({
    tree: await treeWith(repository, head, path),
    message: path,
    parents: [head],
  });
});
