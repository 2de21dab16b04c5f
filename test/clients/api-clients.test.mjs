// Database: SQLite alone. What it proves is the shape of the REST surface.
// A whole story by clients that were generated, or written, for the compatible service, and the checks of a client of SCIM,
// without a change to them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pythonProgram } from '../support/python.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
const base64 = (text) => Buffer.from(text).toString('base64');

/** The client from npm, kept between runs; undefined where it cannot be had. */
function giteaJs() {
  const folder = join(cache, 'mortise-test-gitea-js-1.23.0');
  const file = join(folder, 'node_modules/gitea-js/dist/index.js');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', 'gitea-js@1.23.0'];
    if (spawnSync('npm', args, { stdio: 'ignore' }).status !== 0) return undefined;
  }
  return createRequire(import.meta.url)(file);
}

describe('clients of the compatible service', { timeout: 600_000 }, () => {
  let server;
  const tokens = {};
  before(async () => {
    server = await startServer();
    for (const name of ['ada', 'ben']) {
      await server.api('POST', '/admin/users', {
        body: {
          username: name,
          email: `${name}@example.com`,
          password: 'a long password',
          must_change_password: false,
        },
      });
      const made = await fetch(`${server.base}/api/v1/users/${name}/tokens`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${base64(`${name}:a long password`)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name: 'story', scopes: ['all'] }),
      });
      expect(made.status).to.equal(201);
      tokens[name] = (await made.json()).sha1;
    }
  });
  after(() => server.close());

  it('gitea-js: from a repository to a release', async () => {
    const library = giteaJs();
    if (!library) return console.log('gitea-js is not here: it was not tried');
    const client = (name) => library.giteaApi(server.base, { token: tokens[name], customFetch: fetch });
    const [ada, ben] = [client('ada'), client('ben')];
    const made = await ada.user.createCurrentUserRepo({ name: 'story', auto_init: true, default_branch: 'main' });
    expect(made.data.full_name).to.equal('ada/story');
    await ada.repos.repoAddCollaborator('ada', 'story', 'ben', { permission: 'write' });
    const { data: issue } = await ben.repos.issueCreateIssue('ada', 'story', {
      title: 'It is missing',
      body: 'A file.',
    });
    await ben.repos.repoCreateBranch('ada', 'story', { new_branch_name: 'add-it', old_ref_name: 'main' });
    const written = await ben.repos.repoCreateFile('ada', 'story', 'it.txt', {
      content: base64('here it is\n'),
      branch: 'add-it',
      message: 'Add it',
    });
    expect(written.data.content.path).to.equal('it.txt');
    const { data: pull } = await ben.repos.repoCreatePullRequest('ada', 'story', {
      title: 'Add it',
      body: `Closes #${issue.number}`,
      head: 'add-it',
      base: 'main',
      reviewers: ['ada'],
    });
    expect([pull.state, pull.changed_files, pull.requested_reviewers.map(({ login }) => login)]).to.equal([
      'open',
      1,
      ['ada'],
    ]);
    const { data: review } = await ada.repos.repoCreatePullReview('ada', 'story', pull.number, {
      event: 'APPROVED',
      body: 'Good.',
      comments: [{ path: 'it.txt', new_position: 1, body: 'Nice line.' }],
    });
    expect([review.state, review.comments_count]).to.equal(['APPROVED', 1]);
    const { data: files } = await ada.repos.repoGetPullRequestFiles('ada', 'story', pull.number);
    expect(files.map(({ filename, status }) => [filename, status])).to.equal([['it.txt', 'added']]);
    const merged = await ada.repos.repoMergePullRequest('ada', 'story', pull.number, {
      Do: 'squash',
      delete_branch_after_merge: true,
    });
    expect(merged.status).to.equal(200);
    const { data: release } = await ada.repos.repoCreateRelease('ada', 'story', {
      tag_name: 'v1.0.0',
      name: 'First',
      target_commitish: 'main',
    });
    expect(release.tag_name).to.equal('v1.0.0');
    for (let tries = 0; tries < 100; tries++) {
      const { data } = await ada.repos.issueGetIssue('ada', 'story', issue.number);
      if (data.state === 'closed') break;
      await new Promise((next) => setTimeout(next, 100));
    }
    const [closed, record] = await Promise.all([
      ada.repos.issueGetIssue('ada', 'story', issue.number),
      ada.repos.repoGetPullRequest('ada', 'story', pull.number),
    ]);
    expect([closed.data.state, record.data.merged, record.data.merged_by.login]).to.equal(['closed', true, 'ada']);
    const { data: branches } = await ada.repos.repoListBranches('ada', 'story');
    expect(branches.map(({ name }) => name)).to.equal(['main']);
  });

  it('py-gitea creates, reads, edits and deletes through the API', () => {
    const python = pythonProgram(join(cache, 'mortise-test-py-gitea-0.2.10'), 'python', 'py-gitea==0.2.10');
    if (!python) return console.log('py-gitea is not here: it was not tried');
    const script = fileURLToPath(new URL('./story.py', import.meta.url));
    const run = spawnSync(python, [script, server.base, tokens.ada, tokens.ben], { encoding: 'utf8' });
    expect(run.stderr).to.equal('');
    expect(run.stdout.trim().split('\n').at(-1)).to.equal('done');
  });

  it('scim2-tester finds nothing but that a user is always active or not', async () => {
    const packages = ['scim2-tester==0.5.2', 'httpx2==2.16.2'];
    const python = pythonProgram(join(cache, 'mortise-test-scim2-tester-0.5.2'), 'python', ...packages);
    if (!python) return console.log('scim2-tester is not here: it was not tried');
    await server.api('POST', '/orgs', { body: { username: 'works' } });
    const made = server.cli('admin', 'scim', 'create-token', '--name', 'tester', '--organization', 'works');
    const [secret] = /scim_[0-9a-f]+/.exec(made.out);
    const script = fileURLToPath(new URL('./scim-checks.py', import.meta.url));
    const { stdout } = spawnSync(python, [script, `${server.base}/scim/v2`, secret], { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    expect(Number.parseInt(lines.pop(), 10)).to.be.above(50);
    expect(lines).to.equal(["ERROR check_remove_attribute User PATCH modify() did not remove attribute 'active'"]);
  });
});
