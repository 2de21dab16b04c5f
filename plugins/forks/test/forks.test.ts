import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { base64, send, startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('forks and templates', () => {
  let scene: Scene;
  const put = (client = scene.ada, path = '/repos/ada/source/contents/a.txt', text = 'a', branch = 'main') =>
    send(client, 'POST', path, { content: base64(text), branch, message: 'more' });
  before(async () => {
    scene = await startScene({ plugins: ['forks', 'git-hooks', 'files', 'refs', 'pulls'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'source', auto_init: true, default_branch: 'main' });
    await send(scene.ben, 'POST', '/repos/ada/source/forks', {});
  });
  after(() => scene.host.close());
  const bring = (body: object, by = scene.ben) => send(by, 'POST', '/repos/ben/source/merge-upstream', body);

  it('REP-12: brings a branch forward, and merges what went apart', async () => {
    expect((await bring({ branch: 'main' })).json).to.equal({ merge_type: 'up-to-date' });
    await put();
    expect((await bring({ branch: 'main', ff_only: true })).json).to.equal({ merge_type: 'fast-forward' });
    await put(scene.ada, '/repos/ada/source/contents/theirs.txt');
    await put(scene.ben, '/repos/ben/source/contents/mine.txt');
    const head = async () => (await send(scene.ben, 'GET', '/repos/ben/source/branches/main')).json.commit.id;
    const before = await head();
    // REP-13, ERR-14
    expect((await bring({ branch: 'main', ff_only: true })).statusCode).to.equal(400);
    expect(await head()).to.equal(before);
    expect((await bring({})).json).to.equal({ merge_type: 'merge' });
    const files = (await send(scene.ben, 'GET', '/repos/ben/source/contents')).json as { name: string }[];
    expect(files.map((file) => file.name)).to.include(['a.txt', 'mine.txt', 'theirs.txt']);
    await put(scene.ada, '/repos/ada/source/contents/same.txt', 'one');
    await put(scene.ben, '/repos/ben/source/contents/same.txt', 'two');
    expect((await bring({})).statusCode).to.equal(409);
  });

  it('REP-12: refuses what cannot be brought', async () => {
    expect((await send(scene.ada, 'POST', '/repos/ada/source/merge-upstream', {})).statusCode).to.equal(400);
    expect((await bring({ branch: 'nope' })).statusCode).to.equal(404);
    expect((await bring({}, scene.ada)).statusCode).to.equal(403);
    await send(scene.ada, 'PATCH', '/repos/ada/source', { private: true });
    expect((await send(scene.ben, 'GET', '/repos/ben/source')).json.private).to.be.true();
    expect((await bring({})).statusCode).to.equal(403);
    await send(scene.ada, 'PATCH', '/repos/ada/source', { private: false });
  });

  it('gives forks the units of forks, and tells a fork apart from its parent', async () => {
    const fork = (await send(scene.ben, 'GET', '/repos/ben/source')).json;
    expect([fork.has_code, fork.has_pull_requests, fork.has_issues, fork.has_wiki]).to.equal([
      true,
      true,
      false,
      false,
    ]);
    expect(fork.parent.full_name).to.equal('ada/source');
    expect((await send(scene.ben, 'POST', '/repos/ada/source/forks', { organization: 'nobody' })).statusCode).to.equal(
      404,
    );
  });

  it('fills in the words of a template, in files and names that it lists', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'mould', template: true });
    const files = {
      'a.txt': '$REPO_NAME of ${REPO_OWNER_UPPER}, $TEMPLATE_NAME, $UNKNOWN\n',
      'raw.md': '$REPO_NAME\n',
      'deep/er/${REPO_NAME_PASCAL}.txt': '$REPO_DESCRIPTION\n',
      '${REPO_DESCRIPTION}.txt': 'a name that would lead out\n',
      '.gitea/template': '# these\n*.txt\n**/*.txt\n',
    };
    const made = await send(scene.ada, 'POST', '/repos/ada/mould/contents', {
      files: Object.entries(files).map(([path, text]) => ({ operation: 'create', path, content: base64(text) })),
      message: 'begin',
    });
    expect(made.statusCode).to.equal(201);
    const cup = await send(scene.ben, 'POST', '/repos/ada/mould/generate', {
      owner: 'ben',
      name: 'tea-cup',
      description: '../../x',
      git_content: true,
    });
    expect(cup.statusCode).to.equal(201);
    const read = async (path: string) =>
      Buffer.from(
        (await send(scene.ben, 'GET', `/repos/ben/tea-cup/contents/${path}`)).json.content ?? '',
        'base64',
      ).toString();
    expect(await read('a.txt')).to.equal('tea-cup of BEN, mould, $UNKNOWN\n');
    expect(await read('raw.md')).to.equal('$REPO_NAME\n');
    expect(await read('deep/er/TeaCup.txt')).to.equal('../../x\n');
    expect(await read(encodeURIComponent('${REPO_DESCRIPTION}.txt'))).to.include('lead out');
    expect((await send(scene.ben, 'GET', '/repos/ben/tea-cup/contents/.gitea')).statusCode).to.equal(404);
    const nothing = { owner: 'ben', name: 'jug', git_content: false };
    expect((await send(scene.ben, 'POST', '/repos/ada/mould/generate', nothing)).statusCode).to.equal(422);
    // Hooks are left out for who may not edit them, so nothing is chosen.
    const hooks = { owner: 'ben', name: 'jug', git_hooks: true };
    expect((await send(scene.ben, 'POST', '/repos/ada/mould/generate', hooks)).statusCode).to.equal(422);
  });

  it('ERR-15: an owner at its limit gets nothing more, and loses nothing', async () => {
    const accounts = scene.host.services.get(accountsRef);
    await send(scene.ada, 'POST', '/user/repos', { name: 'gem' });
    await send(scene.ada, 'POST', '/user/repos', { name: 'ring' });
    expect((await send(scene.ada, 'POST', '/repos/ada/ring/transfer', { new_owner: 'ben' })).statusCode).to.equal(201);
    const ben = (await accounts.byName('ben'))!;
    await accounts.update(ben.id, { maxRepoCreation: 1 });
    expect((await send(scene.ada, 'POST', '/repos/ada/gem/transfer', { new_owner: 'ben' })).statusCode).to.equal(403);
    expect((await send(scene.ben, 'POST', '/repos/ada/ring/transfer/accept')).statusCode).to.equal(403);
    expect((await send(scene.ada, 'GET', '/repos/ada/ring')).json.full_name).to.equal('ada/ring');
    expect((await send(scene.ben, 'POST', '/user/repos', { name: 'more' })).statusCode).to.equal(403);
    // forks do not count
    expect((await send(scene.ben, 'POST', '/repos/ada/gem/forks', {})).statusCode).to.equal(202);
  });
});

describe('repositories of sites with rules of their own', () => {
  it('makes private ones of templates too, where all are', async () => {
    const scene = await startScene({
      plugins: ['forks'],
      settings: { repository: { FORCE_PRIVATE: true } },
    });
    try {
      await send(scene.ada, 'POST', '/user/repos', { name: 'mould', template: true });
      const wish = { owner: 'ada', name: 'cup', private: false, topics: true };
      const made = await send(scene.ada, 'POST', '/repos/ada/mould/generate', wish);
      expect([made.statusCode, made.json.private]).to.equal([201, true]);
    } finally {
      await scene.host.close();
    }
  });

  it('gives no repository what is switched off for all', async () => {
    const scene = await startScene({
      plugins: ['forks', 'issues'],
      settings: { repository: { DISABLED_REPO_UNITS: 'repo.wiki' } },
    });
    try {
      const made = await send(scene.ada, 'POST', '/user/repos', { name: 'cup', has_wiki: true });
      const edited = await send(scene.ada, 'PATCH', '/repos/ada/cup', { has_wiki: true, has_issues: true });
      expect([made.json.has_wiki, edited.json.has_wiki, edited.json.has_issues]).to.equal([false, false, true]);
    } finally {
      await scene.host.close();
    }
  });
});
