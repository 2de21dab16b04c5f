import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, database, jobs, Problem } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { gitReader, gitWriter, refUpdates, type GitReader } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { Counting } from '../services/counting.js';
import { Tally, weekOf, type TallyState } from '../services/contributions.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('counting a history', () => {
  const now = Date.parse('2026-03-04T12:00:00Z');
  const at = (day: string) => Date.parse(`${day}T10:00:00Z`) / 1000;
  const record = (day: string, email: string, numbers: string) => `\x01${at(day)}\0Ada\0${email}\n\n ${numbers}\n`;

  const count = (text: string, when = now, before?: TallyState) => {
    const tally = new Tally(before);
    tally.add(text, when);
    return tally;
  };

  it('weeks of the statistics begin on Sundays', () => {
    expect(new Date(weekOf(at('2026-03-04')) * 1000).toISOString()).to.equal('2026-03-01T00:00:00.000Z');
    expect(weekOf(at('2026-03-01'))).to.equal(weekOf(at('2026-03-07')));
    expect(weekOf(at('2026-03-08'))).to.equal(weekOf(at('2026-03-07')) + 604_800);
  });

  it('adds up people by address without case, and weeks', () => {
    const text =
      record('2026-03-03', 'ADA@example.com', '1 file changed, 3 insertions(+)') +
      record('2026-03-02', 'ada@example.com', '2 files changed, 1 insertion(+), 4 deletions(-)') +
      record('2026-02-20', 'ben@example.com', '1 file changed, 7 deletions(-)');
    const counted = count(text).contributions();
    expect(counted.contributors.map(({ commits, additions, deletions }) => [commits, additions, deletions])).to.equal([
      [2, 4, 4],
      [1, 0, 7],
    ]);
    expect(counted.weeks.map(({ commits }) => commits)).to.equal([1, 2]);
  });

  it('O4: goes on with what was stored as if it had never stopped', () => {
    const first = record('2026-03-03', 'ada@example.com', '1 file changed, 3 insertions(+)');
    const second =
      record('2026-03-02', 'Ada@example.com', '1 file changed, 1 deletion(-)') +
      record('2026-01-02', 'ben@example.com', '1 file changed, 2 insertions(+)');
    const stored = JSON.parse(JSON.stringify(count(first).state())) as TallyState;
    expect(count(second, now, stored).contributions()).to.equal(count(first + second).contributions());
  });

  it('leaves out times that no clock has, and takes nothing at all', () => {
    const wrong = `\x0199999999999\0X\0x@example.com\n\x01-5\0X\0x@example.com\n`;
    expect(count(wrong).contributions().contributors).to.be.empty();
    expect(count('').contributions()).to.equal({ contributors: [], weeks: [], truncated: false });
  });
});

describe('pages about activity', () => {
  let host: TestHost;
  let ada: TestClient;

  before(async () => {
    host = await startHost({ plugins: ['insights'] });
    const accounts = host.services.get(accountsRef);
    const account = await createAccount(host, 'ada');
    const actor = accounts.actorOf(account, 'test');
    ada = host.as(actor);
    for (const name of ['tool', 'bare'])
      await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name, private: name === 'bare' } });
    const { id } = (await host.services.get(repositories).byPath('ada', 'tool'))!;
    const writer = host.services.get(gitWriter);
    const parents: string[] = [];
    for (let number = 0; number < 3; number++) {
      const tree = await writer.writeTree(id, parents[0], [{ path: `f${number}`, content: 'a line\n' }]);
      const who = { name: '<b>Ada</b>', email: 'ADA@example.com', time: Date.now() - number, zone: '+0000' };
      const commit = await writer.writeCommit(id, {
        ...{ tree, parents: parents.slice(0, 1), author: who, committer: who, message: `Add <i>${number}</i>` },
      });
      parents.unshift(commit);
    }
    await host.services.get(refUpdates).apply({
      repositoryId: id,
      updates: [{ ref: 'refs/heads/main', old: '0'.repeat(40), new: parents[0]! }],
      pusher: actor,
      source: 'internal',
    });
    expect(await host.services.get(gitReader).open(id).branch('main')).to.exist();
  });
  after(() => host.close());

  it('counts in the background, and names the account of an address', async () => {
    const first = await ada.inject('/ada/tool/activity/contributors');
    expect(first.statusCode).to.equal(200);
    expect(first.payload).to.contain(['data-later="?part=1"', '>Refresh</a>']);
    await host.settle();
    const page = await ada.inject('/ada/tool/activity/contributors');
    expect(page.payload).to.not.contain('data-later');
    const part = await ada.inject('/ada/tool/activity/contributors?part=1');
    expect(part.payload).to.contain('href="/ada"').and.to.not.contain(['<html', 'UnderlineNav']);
    expect(page.payload).to.contain('href="/ada"').and.to.contain('3 commits');
    expect(page.payload).to.not.contain('<b>Ada');
    for (const path of ['code-frequency', 'recent-commits']) {
      const chart = await ada.inject(`/ada/tool/activity/${path}`);
      expect(chart.statusCode, path).to.equal(200);
      expect(chart.payload, path).to.contain('<svg');
    }
  });

  describe('O4: a history that git does not count in one go', () => {
    const commits = Array.from({ length: 5 }, (_, at) => String(at).repeat(40));
    const never = new AbortController().signal;
    const noReport = () => Promise.resolve();
    /** Counts with a git that is asked to log `may` commits at a time; with more it takes too long. */
    const countingWith = (log: (commits: readonly string[], withLines: boolean) => string) =>
      new Counting({
        database: host.services.get(database),
        jobs: host.services.get(jobs),
        git: {
          open: () => ({
            head: async () => ({ oid: 'f'.repeat(40) }),
            run: async (args: readonly string[], { input = '' }: { input?: string } = {}) =>
              args[0] === 'rev-list' ? commits.join('\n') : log(input.trim().split('\n'), args.includes('--shortstat')),
          }),
        } as unknown as GitReader,
      });
    const recordOf = (withLines: boolean) =>
      `\x01${Math.floor(Date.now() / 1000)}\0Ada\0ada@example.com\n${withLines ? '\n 1 file changed, 2 insertions(+)\n' : ''}`;

    it('is counted in smaller steps, and a commit that is too large by itself without its lines', async () => {
      const counting = countingWith((step, withLines) => {
        if (step.length > 2 || (withLines && step.includes(commits[3]!)))
          throw new Problem('unavailable', 'Git took too long.');
        return step.map(() => recordOf(withLines)).join('');
      });
      await counting.count(1001, { signal: never, progress: noReport });
      const { contributions, isOld } = await counting.of(1001);
      expect(isOld).to.be.false();
      expect(contributions!.contributors).to.have.length(1);
      expect(contributions!.contributors[0]).to.include({ commits: 5, additions: 8 });
    });

    it('says why it failed, and goes on where it stopped', async () => {
      const asked: string[] = [];
      let isBroken = true;
      const counting = countingWith((step, withLines) => {
        if (step.length > 2) throw new Problem('unavailable', 'Git took too long.');
        if (isBroken && step.includes(commits[2]!)) throw new Error('the disk is gone');
        asked.push(...step);
        return step.map(() => recordOf(withLines)).join('');
      });
      const job = { signal: never, progress: noReport };
      await expect(counting.count(1002, job)).to.reject('the disk is gone');
      expect(await counting.of(1002)).to.include({ failure: 'the disk is gone', isOld: true });
      isBroken = false;
      await counting.count(1002, job);
      expect(asked).to.equal(commits);
      const { contributions, failure } = await counting.of(1002);
      expect(failure).to.be.undefined();
      expect(contributions!.contributors[0]).to.include({ commits: 5 });
    });
  });

  it('shows the pulse of a period, and refuses periods that there are not', async () => {
    const page = await ada.inject('/ada/tool/activity?period=daily');
    expect(page.payload).to.contain('1 author pushed').and.to.contain('Add &lt;i>2');
    expect((await ada.inject('/ada/tool/activity?period=never')).statusCode).to.equal(422);
  });

  it('has nothing to say of an empty repository, and hides private ones', async () => {
    for (const path of ['', '/contributors', '/code-frequency', '/recent-commits']) {
      expect((await ada.inject(`/ada/bare/activity${path}`)).statusCode, path).to.equal(200);
      expect((await host.as(anonymous).inject(`/ada/bare/activity${path}`)).statusCode, path).to.be.within(300, 499);
    }
  });

  it('forgets with the repository', async () => {
    expect((await ada.inject({ method: 'DELETE', url: '/api/v1/repos/ada/tool' })).statusCode).to.equal(204);
    expect((await ada.inject('/ada/tool/activity')).statusCode).to.equal(404);
  });
});
