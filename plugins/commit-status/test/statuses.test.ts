import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { renderToString } from 'preact-render-to-string';
import { languages } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { gitReader, refUpdates } from '@mortise/git/api';
import { repositoryAccess, type Repository } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';
import { webhooks } from '@mortise/webhooks/api';
import { combineStates, commitStatuses, type CommitStatuses } from '../contract/commit-status.js';
import { commitBadge } from '../pages/badge.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('statuses of commits', () => {
  let host: TestHost;
  let ada: Account;
  let as: TestClient;
  let repository: Repository;
  let service: CommitStatuses;
  let sha: string;
  const at = '/api/v1/repos/ada/tool';
  const post = (payload: object, commit = sha) =>
    as.inject({ method: 'POST', url: `${at}/statuses/${commit}`, payload });
  const lines = (statuses: { context: string; status: string }[]) =>
    statuses.map(({ context, status }) => `${context}: ${status}`);

  before(async () => {
    host = await startHost({ plugins: ['commit-status', 'refs', 'files', 'webhook-mortise'] });
    ada = await createAccount(host, 'ada');
    as = host.as(ada);
    repository = await createRepository(host, ada, { name: 'tool', autoInit: true, defaultBranch: 'main' });
    service = host.services.get(commitStatuses);
    sha = (await host.services.get(gitReader).open(repository.id).branch('main'))!.oid;
  });
  after(() => host?.close());

  it('keeps all statuses, and counts the newest of each context', async () => {
    const made = await post({ state: 'pending', context: 'build', target_url: 'https://ci.example.com/1' });
    expect(made.statusCode, made.payload).to.equal(201);
    expect(made.json).to.include({ status: 'pending', context: 'build', description: '' });
    expect(made.json.creator.login).to.equal('ada');
    await post({ state: 'success', context: 'build' });
    await post({ state: 'failure', context: 'lint' });
    await post({ state: 'skipped' });

    const all = await as.inject(`${at}/commits/main/statuses`);
    expect(lines(all.json)).to.equal([': skipped', 'lint: failure', 'build: success', 'build: pending']);
    expect(all.headers['x-total-count']).to.equal('4');
    const upward = await as.inject(`${at}/statuses/${sha}?sort=highestindex&limit=2&page=2`);
    expect(lines(upward.json)).to.equal(['lint: failure', ': skipped']);
    expect(lines((await as.inject(`${at}/statuses/${sha.slice(0, 9)}?state=failure`)).json)).to.equal([
      'lint: failure',
    ]);

    const together = await as.inject(`${at}/commits/main/status?limit=2`);
    expect(together.json).to.include({ state: 'failure', total_count: 3, sha });
    const home = new URL(together.json.url).pathname;
    expect(home).to.equal(`${at}/commits/${sha}/status`);
    expect(together.json.url).to.equal(`${together.json.commit_url}/status`);
    expect(lines(together.json.statuses)).to.equal([': skipped', 'build: success']);
    expect(together.json.repository.full_name).to.equal('ada/tool');
  });

  it('the combined status of a commit is the worst of its contexts', () => {
    expect(combineStates([])).to.equal('pending');
    expect(combineStates(['success', 'skipped'])).to.equal('success');
    expect(combineStates(['success', 'warning', 'pending'])).to.equal('failure');
    expect(combineStates(['success', 'pending'])).to.equal('pending');
    expect(combineStates(['pending', 'error'])).to.equal('failure');
  });

  it('statuses are read by a branch name that has slashes', async () => {
    const branch = await as.inject({
      method: 'POST',
      url: `${at}/branches`,
      payload: { new_branch_name: 'one/two/three' },
    });
    expect(branch.statusCode).to.equal(201);
    expect((await as.inject(`${at}/commits/one/two/three/status`)).json.total_count).to.equal(3);
    expect((await as.inject(`${at}/commits/one/two/three/statuses`)).json).to.have.length(4);
    // the commit itself is still found
    expect((await as.inject(`${at}/commits/one/two/three`)).json.sha).to.equal(sha);
  });

  it('refuses what it cannot take, with nothing stored', async () => {
    const bad: object[] = [
      {},
      { state: 'great' },
      { state: 'success', context: 'x'.repeat(1001) },
      { state: 'success', target_url: 7 },
      { state: 'success', target_url: 'javascript:alert(1)' },
      { state: 'success', target_url: ' data:text/html,x' },
    ];
    for (const payload of bad) expect((await post(payload)).statusCode).to.equal(422);
    expect((await post({ state: 'success' }, 'f'.repeat(40))).statusCode).to.equal(404);
    expect((await post({ state: 'success' }, 'a..b')).statusCode).to.equal(404);
    expect((await host.inject({ method: 'POST', url: `${at}/statuses/${sha}`, payload: {} })).statusCode).to.equal(401);
    // words that are not known neither sort nor filter, and of an id that is not there nothing is known
    for (const query of ['sort=odd', 'sort=', 'state=odd', 'state=']) {
      const found = await as.inject(`${at}/statuses/${sha}?${query}`);
      expect([found.statusCode, found.json.length], query).to.equal([200, 4]);
    }
    expect((await as.inject(`${at}/statuses/${'f'.repeat(40)}`)).json).to.equal([]);
    expect((await as.inject(`${at}/statuses/nope`)).statusCode).to.equal(404);
    for (const query of ['page=0', 'page=x', 'limit=x'])
      expect((await as.inject(`${at}/commits/${sha}/status?${query}`)).statusCode, query).to.equal(200);
    expect((await as.inject(`${at}/statuses/${sha}`)).json).to.have.length(4);
  });

  it('numbers statuses without a gap when many machines post at once', async () => {
    const other = 'a'.repeat(40);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        service.create({
          repositoryId: repository.id,
          sha: other,
          state: index === 7 ? 'failure' : 'success',
          context: `job ${index % 8}`,
          creatorId: ada.id,
        }),
      ),
    );
    const rows = (await host.database
      .knex()('commit_status')
      .where({ sha: other })
      .orderBy('id')
      .select('position')) as { position: number }[];
    expect(rows.map(({ position }) => position)).to.equal(Array.from({ length: 40 }, (_, index) => index + 1));
    const latest = await service.latest(repository.id, [other, sha, 'b'.repeat(40)]);
    expect([...latest.keys()].sort()).to.equal([sha, other].sort());
    expect(latest.get(other)).to.have.length(8);
  });

  it('sees a new status at once, though lists are cached', async () => {
    const other = 'c'.repeat(40);
    const one = { repositoryId: repository.id, sha: other, context: 'build', creatorId: ada.id };
    expect((await service.combined(repository.id, other)).state).to.equal('pending');
    await service.create({ ...one, state: 'failure' });
    expect((await service.combined(repository.id, other)).state).to.equal('failure');
    await service.create({ ...one, state: 'success' });
    expect((await service.combined(repository.id, other)).state).to.equal('success');
  });

  it('HOK-16, HOK-17: hooks hear of a status, with a whole address', async () => {
    const hooks = host.services.get(webhooks).hooks;
    await hooks.create(
      { ownerKind: 'repository', ownerId: repository.id },
      {
        type: 'mortise',
        config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
        events: ['status'],
        active: true,
      },
      host.services.get(accounts).actorOf(ada, 'test'),
    );
    await post({ state: 'warning', context: 'style', description: 'so so' });
    await host.events.deliverAll();
    const deliveries = (await host.database.knex()('hook_delivery').where('event', 'status')) as { payload: string }[];
    const payload = JSON.parse(deliveries.at(-1)!.payload) as Record<string, unknown> &
      Record<'commit' | 'repository' | 'sender', Record<string, unknown>>;
    expect(payload).to.include({ sha, context: 'style', state: 'warning', description: 'so so' });
    expect(payload.target_url).to.match(/^http:\/\/[^/]+\/$/);
    expect(payload.commit).to.include({ id: sha, added: ['README.md'] });
    expect(payload.repository.full_name).to.equal('ada/tool');
    expect(payload.sender.login).to.equal('ada');
  });

  it('marks commits with a list that opens, and links only where it is safe', async () => {
    await post({ state: 'error', context: '<b>', description: '<script>', target_url: 'https://ci.example.com/odd' });
    // as an earlier version stored it
    await host.database.write(async () =>
      host.database.knex()('commit_status').where({ context: '<b>' }).update({ target_url: 'javascript:alert(1)' }),
    );
    const actor = host.services.get(accounts).actorOf(ada, 'test');
    const context = await host.services.get(repositoryAccess).context(actor, repository);
    const icons = await commitBadge(service).badges(context, [sha, 'd'.repeat(40)]);
    expect([...icons.keys()]).to.equal([sha]);
    const shown = (language: string) =>
      host.services.get(languages).in(language, () => renderToString(icons.get(sha)!));
    const html = shown('en-US');
    expect(html).to.contain('&lt;script>').and.to.contain('<summary').and.to.contain('2 of 5 checks failed');
    expect(html).not.to.contain('javascript:');
    expect(shown('de-DE')).to.contain('2 von 5 Prüfungen fehlgeschlagen');
  });

  it('knows the contexts of late', async () => {
    expect(await service.recentContexts(repository.id))
      .to.include(['build', 'lint', 'job 0'])
      .and.not.to.include('');
    expect(await service.recentContexts(repository.id + 1)).to.equal([]);
    const old = await service.create({
      repositoryId: repository.id,
      sha: 'e'.repeat(40),
      state: 'success',
      context: 'old habit',
      creatorId: 0,
    });
    expect(await service.recentContexts(repository.id)).to.include('old habit');
    const { database } = host;
    const week = 7 * 24 * 3_600_000;
    await database.write(() =>
      database
        .knex()('commit_status')
        .where('id', old.id)
        .update({ created_at: Date.now() - week - 60_000 }),
    );
    expect(await service.recentContexts(repository.id)).not.to.include('old habit');
  });

  it('means the commit by its id or whole reference, also where a branch bears that as its name', async () => {
    const git = host.services.get(gitReader).open(repository.id);
    const content = { content: 'eA==', branch: 'main', new_branch: 'aside' };
    expect((await as.inject({ method: 'POST', url: `${at}/contents/x`, payload: content })).statusCode).to.equal(201);
    const other = (await git.branch('aside'))!.oid;
    await host.services.get(refUpdates).apply({
      repositoryId: repository.id,
      updates: [sha, 'refs/heads/main'].map((name) => ({ ref: `refs/heads/${name}`, old: '0'.repeat(40), new: other })),
      pusher: host.services.get(accounts).actorOf(ada, 'test'),
      source: 'internal',
      // nobody may make such a branch, but what comes from elsewhere may have it
      skipChecks: true,
    });
    const made = await post({ state: 'warning', context: 'by id' });
    expect(made.json.url.split('/').at(-1)).to.equal(sha);
    expect((await service.latest(repository.id, [other])).size).to.equal(0);
    const combined = await as.inject(`${at}/commits/refs%2Fheads%2Fmain/status`);
    expect(combined.json.sha).to.equal((await git.branch('main'))!.oid);
  });

  it('forgets the statuses of a repository that is deleted', async () => {
    expect((await as.inject({ method: 'DELETE', url: at })).statusCode).to.equal(204);
    expect(await host.database.knex()('commit_status').where('repository_id', repository.id)).to.equal([]);
    expect(await host.database.knex()('commit_status_position').where('repository_id', repository.id)).to.equal([]);
  });
});
