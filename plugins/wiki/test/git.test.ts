import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount, signUp, type SignedIn } from '@mortise/accounts/testing';
import { GitClient } from '@mortise/git/testing';
import { repositories } from '@mortise/repositories/api';
import { remoteUrl } from '@mortise/repositories/testing';
import { webhookKinds, webhooks } from '@mortise/webhooks/api';
import { wikis } from '../contract/wiki.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the wiki as a git repository', () => {
  let host: TestHost;
  let ada: SignedIn;
  let id: number;
  const told: Record<string, unknown>[] = [];
  /** Keeps what hooks would send. */
  const listener = definePlugin({
    name: 'test-listener',
    version: '1.0.0',
    sdk: '*',
    requires: { webhooks: '^1.0.0' },
    register(plugin) {
      plugin.contribute(webhookKinds, {
        key: 'listener',
        label: 'Listener',
        request({ event, payload }) {
          told.push({ event, ...payload });
          return undefined;
        },
      });
    },
  });
  let client: GitClient;
  const git = (folder: string, ...args: string[]) => client.run(folder, ...args);
  const remote = (path: string, user = 'ada') => remoteUrl(host, path, user);
  const commit = (folder: string, files: Record<string, string>, message: string) =>
    client.commit(folder, files, message);
  const send = (method: string, url: string, payload?: object) =>
    ada.inject({ method: method as 'GET', url: `/api/v1${url}`, payload });
  /** By their words: hooks of several changes are told at the same time. */
  const facts = async () => {
    await host.settle();
    return told
      .splice(0)
      .map(({ event, action, page, comment }) => [event, action, page, String(comment).trim()])
      .sort((one, other) => (one.join() < other.join() ? -1 : 1));
  };

  before(async () => {
    host = await startHost({ plugins: ['wiki', 'git-http', 'auth-basic', 'webhooks', listener] });
    client = new GitClient(host, { name: 'Git', email: 'git@example.com' });
    ada = await signUp(host, 'ada');
    await createAccount(host, 'ben');
    for (const name of ['book', 'other']) await send('POST', '/user/repos', { name, default_branch: 'trunk' });
    id = (await host.services.get(repositories).byPath('ada', 'book'))!.id;
    const hook = {
      type: 'listener',
      config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
      events: ['wiki'],
      active: true,
    };
    await host.services.get(webhooks).hooks.create({ ownerKind: 'repository', ownerId: id }, hook, ada.actor);
  });
  after(() => host.close());

  it('WIK-01: a pushed wiki keeps its own branch, and edits go there', async () => {
    const folder = await client.workTree(undefined, 'pages');
    await commit(folder, { 'Home.md': 'by git\n', 'sub/Inner.md': 'inner\n', 'pic.png': 'x' }, 'first push');
    await git(folder, 'push', '-q', await remote('ada/book.wiki.git'), 'pages');
    expect(await facts()).to.equal([]);
    expect((await host.services.get(wikis).head(id)).branch).to.equal('pages');
    expect((await send('GET', '/repos/ada/book/wiki/page/Home')).json.last_commit.author.name).to.equal('Git');
    const made = await send('POST', '/repos/ada/book/wiki/new', {
      title: 'By API',
      content_base64: 'eA==',
      message: 'api',
    });
    expect(made.statusCode).to.equal(201);
    const { stdout } = await git(host.workDir, 'ls-remote', '--heads', await remote('ada/book.wiki.git'));
    expect(stdout).to.include('refs/heads/pages').and.to.not.include('refs/heads/main');
    expect(await facts()).to.equal([['wiki', 'created', 'By-API', 'api']]);
  });

  it('tells hooks of edits, renames and deletions once each, and of no push', async () => {
    await send('PATCH', '/repos/ada/book/wiki/page/By-API', { title: 'Renamed', content_base64: 'eQ==' });
    await send('DELETE', '/repos/ada/book/wiki/page/Renamed');
    expect(await facts()).to.equal([
      ['wiki', 'deleted', 'Renamed', ''],
      ['wiki', 'edited', 'Renamed', 'Update "Renamed"'],
    ]);
    const folder = join(host.workDir, 'clone');
    await git(host.workDir, 'clone', '-q', await remote('ada/book.wiki.git'), folder);
    await git(folder, 'mv', 'Home.md', 'Start.md');
    await commit(folder, { 'New Page.md': 'n\n' }, 'move');
    await git(folder, 'push', '-q', 'origin', 'HEAD', 'HEAD:refs/heads/draft');
    await git(folder, 'push', '-q', 'origin', ':draft');
    expect(await facts()).to.equal([]);
    const payload = await send('GET', `/repos/ada/book/wiki/page/New-Page`);
    expect(payload.json.title).to.equal('New Page');
  });

  it('refuses a push that would lose an edit, and takes it when put on top', async () => {
    const folder = join(host.workDir, 'clone');
    await send('PATCH', '/repos/ada/book/wiki/page/Start', { content_base64: 'YXBp', message: 'meanwhile' });
    await commit(folder, { 'Third.md': '3\n' }, 'third');
    await expect(git(folder, 'push', '-q', 'origin', 'HEAD')).to.reject(/rejected|fetch first/);
    await git(folder, 'pull', '-q', '--rebase');
    await git(folder, 'push', '-q', 'origin', 'HEAD');
    expect((await send('GET', '/repos/ada/book/wiki/revisions/Start')).json.commits[0].message.trim()).to.equal(
      'meanwhile',
    );
    expect((await send('GET', '/repos/ada/book/wiki/page/Third')).statusCode).to.equal(200);
    await git(folder, 'fsck', '--strict');
  });

  it('lets edits over the API and pushes race without losing any', async () => {
    const folder = join(host.workDir, 'clone');
    const pushes = async () => {
      for (let n = 0; n < 5; n++) {
        await commit(folder, { [`Push-${n}.md`]: 'x' }, `push ${n}`);
        for (let attempt = 0; ; attempt++) {
          await git(folder, 'pull', '-q', '--rebase');
          const done = await git(folder, 'push', '-q', 'origin', 'HEAD').then(
            () => true,
            () => false,
          );
          if (done) break;
          expect(attempt).to.be.below(300);
        }
      }
    };
    const edits = async () => {
      for (let n = 0; n < 10; n++) {
        const made = await send('POST', '/repos/ada/book/wiki/new', { title: `Edit ${n}`, content_base64: 'eA==' });
        expect(made.statusCode).to.equal(201);
      }
    };
    await Promise.all([pushes(), edits()]);
    const titles = ((await send('GET', '/repos/ada/book/wiki/pages?limit=50')).json as { title: string }[]).map(
      (p) => p.title,
    );
    expect(titles.filter((title) => /^(Push|Edit) \d$/.test(title))).to.have.length(15);
  });

  it('is closed to who may not write, and clones empty before its first page', async () => {
    const folder = join(host.workDir, 'clone');
    await expect(git(folder, 'push', '-q', await remote('ada/book.wiki.git', 'ben'), 'HEAD')).to.reject();
    await git(host.workDir, 'clone', '-q', await remote('ada/other.wiki.git', 'ben'), 'none');
    expect((await send('GET', '/repos/ada/other/wiki/pages')).statusCode).to.equal(404);
    const made = await send('POST', '/repos/ada/other/wiki/new', { title: 'Home', content_base64: 'eA==' });
    expect(made.statusCode).to.equal(201);
    const { stdout } = await git(host.workDir, 'ls-remote', '--symref', await remote('ada/other.wiki.git'));
    expect(stdout).to.include('ref: refs/heads/main\tHEAD');
  });
});
