/** Whole imports from a service that numbers issues and pull requests apart, with what the site stores of them. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { RemoteServer } from '@mortise/git/testing';
import { send } from '@mortise/repositories/testing';
import { everything, startTarget } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('whole imports from GitLab', { timeout: 120_000 }, () => {
  let host: TestHost;
  let remote: RemoteServer;
  let cas: SignedIn;
  /** How often the list of issues was asked for. */
  let lists = 0;
  const author = { id: 1, username: 'eve' };
  const issue = (iid: number) => ({ iid, title: `issue ${iid}`, state: 'opened', author, labels: [] });
  const pull = { ...issue(1), title: 'pull 1', source_branch: 'topic', target_branch: 'main', sha: '' };
  const answer = (path: string): unknown => {
    if (path === '/projects/water/mill')
      return { id: 7, path: 'mill', path_with_namespace: 'water/mill', wiki_access_level: 'disabled' };
    // one more is opened while the import runs
    if (path === '/projects/7/issues') return (++lists > 1 ? [1, 2, 3] : [1, 2]).map(issue);
    if (path === '/projects/7/merge_requests') return [pull];
    return path === '/projects/7/merge_requests/1' ? pull : [];
  };
  before(async () => {
    remote = await RemoteServer.start();
    await remote.repository('water/mill');
    await remote.commit('water/mill', 'main', { 'a.txt': 'a' });
    const oid = await remote.commit('water/mill', 'topic', { 'a.txt': 'b' });
    await remote.git('water/mill', 'update-ref', 'refs/merge-requests/1/head', oid);
    pull.sha = oid;
    remote.misbehave = ({ url = '' }, response) => {
      const [, path] = /^\/api\/v4([^?]*)/.exec(url) ?? [];
      if (path === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer(decodeURIComponent(path))));
      return true;
    };
    host = await startTarget();
    cas = await signUp(host, 'cas');
  });
  after(async () => {
    await remote.close();
    await host?.close();
  });

  it('come with everything; an issue that is opened meanwhile is left out, and takes no number of a pull request', async () => {
    const body = { clone_addr: remote.url('water/mill'), service: 'gitlab', repo_name: 'mill', ...everything };
    const made = await send(cas, 'POST', '/repos/migrate', body);
    expect(made.statusCode, made.payload).to.equal(201);
    const read = async (path: string) => (await send(cas, 'GET', `/repos/cas/mill${path}`)).json;
    const titles = (await read('/issues?state=all')).map((one: { number: number; title: string }) => [
      one.number,
      one.title,
    ]);
    expect(titles.sort()).to.equal([
      [1, 'issue 1'],
      [2, 'issue 2'],
      [3, 'pull 1'],
    ]);
    const steps: readonly { step: string; note: string }[] = (await read('/migration')).steps;
    expect(steps.find(({ step }) => step === 'issues')!.note).to.equal(
      'Issue #3: left out, because it came after the import began',
    );
    const row = await host.database.knex()('repository_import').first();
    expect(row.options).to.contain('"memory":{"pullOffset":"2"}');
  });
});
