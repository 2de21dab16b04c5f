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

  it('REP-12, REP-13, ERR-14: brings a branch forward and merges what went apart, but under ff_only refuses and changes nothing', async () => {
    expect((await bring({ branch: 'main' })).json).to.equal({ merge_type: 'up-to-date' });
    await put();
    expect((await bring({ branch: 'main', ff_only: true })).json).to.equal({ merge_type: 'fast-forward' });
    await put(scene.ada, '/repos/ada/source/contents/theirs.txt');
    await put(scene.ben, '/repos/ben/source/contents/mine.txt');
    const head = async () => (await send(scene.ben, 'GET', '/repos/ben/source/branches/main')).json.commit.id;
    const before = await head();
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
  });

  it('C4: asking for git hooks without the right to edit them is passed over', async () => {
    const hooks = { owner: 'ben', name: 'jug', git_hooks: true };
    expect((await send(scene.ben, 'POST', '/repos/ada/mould/generate', hooks)).statusCode).to.equal(201);
    expect((await send(scene.ben, 'GET', '/repos/ben/jug/hooks/git')).statusCode).to.equal(403);
    expect((await send(scene.ada, 'GET', '/repos/ben/jug/hooks/git')).json).to.not.include({ is_active: true });
  });

  it('C4: a generated repository has the settings of new ones, not those of its template', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'kiln', template: true, auto_init: true });
    const settings = {
      has_wiki: false,
      has_pull_requests: true,
      allow_merge_commits: false,
      allow_rebase: false,
      default_merge_style: 'squash',
      allow_manual_merge: true,
    };
    expect((await send(scene.ada, 'PATCH', '/repos/ada/kiln', settings)).statusCode).to.equal(200);
    const input = { owner: 'ben', name: 'brick', git_content: true };
    expect((await send(scene.ben, 'POST', '/repos/ada/kiln/generate', input)).statusCode).to.equal(201);
    const fresh = (await send(scene.ben, 'POST', '/user/repos', { name: 'fresh' })).json as Record<string, unknown>;
    const made = (await send(scene.ben, 'GET', '/repos/ben/brick')).json as Record<string, unknown>;
    const ofSettings = Object.keys(fresh).filter((key) => /^(?:has_|allow_|default_|ignore_)/.test(key));
    expect(ofSettings).to.include(['has_pull_requests', 'allow_rebase', 'default_merge_style']);
    const settingsOf = (all: Record<string, unknown>) => ofSettings.map((key) => [key, all[key]]);
    expect(settingsOf(made)).to.equal(settingsOf(fresh));
  });

  it('C4: names keep their dots in each spelling of the words of a template', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'speller', template: true });
    const spellings = ['', '_SNAKE', '_KEBAB', '_CAMEL', '_PASCAL', '_LOWER', '_UPPER', '_TITLE'];
    const files = {
      'latin.txt': 'caf\xe9 $REPO_NAME',
      'names.txt': spellings.map((form) => `\${REPO_NAME${form}}`).join('\n'),
      '${REPO_NAME_KEBAB}.txt': 'x',
      '.gitea/template': '*.txt\n',
    };
    await send(scene.ada, 'POST', '/repos/ada/speller/contents', {
      files: Object.entries(files).map(([path, text]) => ({
        operation: 'create',
        path,
        content: Buffer.from(text, 'latin1').toString('base64'),
      })),
      message: 'begin',
    });
    const expected = {
      'My.first_Thing-2': [
        'my.first_thing_2',
        'my.first-thing-2',
        'my.firstThing2',
        'My.firstThing2',
        'my.first_thing-2',
        'MY.FIRST_THING-2',
        'My.first_thing-2',
      ],
      'HTTPServer.v2': [
        'http_server.v2',
        'http-server.v2',
        'httpserver.v2',
        'Httpserver.v2',
        'httpserver.v2',
        'HTTPSERVER.V2',
        'Httpserver.v2',
      ],
    };
    for (const [name, forms] of Object.entries(expected)) {
      const input = { owner: 'ben', name, git_content: true };
      expect((await send(scene.ben, 'POST', '/repos/ada/speller/generate', input)).statusCode).to.equal(201);
      const latin = (await send(scene.ben, 'GET', `/repos/ben/${name}/contents/latin.txt`)).json.content as string;
      expect(Buffer.from(latin, 'base64').toString('latin1')).to.equal(`caf\xe9 ${name}`);
      const { json } = await send(scene.ben, 'GET', `/repos/ben/${name}/contents/names.txt`);
      expect(Buffer.from(json.content, 'base64').toString().split('\n')).to.equal([name, ...forms]);
      expect((await send(scene.ben, 'GET', `/repos/ben/${name}/contents/${forms[1]}.txt`)).statusCode).to.equal(200);
    }
  });

  it('S3: a template whose names become what no push may contain makes no repository', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'trap', template: true });
    const files = {
      '.gitmodules$REPO_DESCRIPTION': '[submodule "a"]\n\tpath = a\n\turl = -u./x\n',
      '.gitea/template': '.git*\n',
    };
    const begin = await send(scene.ada, 'POST', '/repos/ada/trap/contents', {
      files: Object.entries(files).map(([path, text]) => ({ operation: 'create', path, content: base64(text) })),
      message: 'begin',
    });
    expect(begin.statusCode).to.equal(201);
    const input = { owner: 'ben', name: 'caught', git_content: true, description: '' };
    const refused = await send(scene.ben, 'POST', '/repos/ada/trap/generate', input);
    expect([refused.statusCode, refused.json.message]).to.equal([
      422,
      'The change was refused because it contains what no push may contain: disallowed submodule url: -u./x',
    ]);
    expect((await send(scene.ben, 'GET', '/repos/ben/caught')).statusCode).to.equal(404);
    expect((await send(scene.ben, 'POST', '/user/repos', { name: 'caught' })).statusCode).to.equal(201);
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
      const input = { owner: 'ada', name: 'cup', private: false, topics: true };
      const made = await send(scene.ada, 'POST', '/repos/ada/mould/generate', input);
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
