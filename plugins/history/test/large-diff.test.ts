// Database: SQLite alone; differences are made by git.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { gitReader, gitWriter, refUpdates, type GitRepository } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { readDiff } from '../services/diff-reading.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** One more than are counted at once, and a window of them is not full. */
const count = 3_101;
const nameOf = (at: number) => `src/${String(at).padStart(5, '0')}.txt`;

describe('O4: a comparison of very many files', () => {
  let host: TestHost;
  let git: GitRepository;
  let page: (query: string) => Promise<string>;
  const commits: string[] = [];

  before(async () => {
    host = await startHost({ plugins: ['history', 'files', 'refs'] });
    const ada = await createAccount(host, 'ada');
    const actor = host.services.get(accounts).actorOf(ada, 'test');
    const { id } = await host.services.get(repositories).create(ada, { name: 'large' }, actor);
    const writer = host.services.get(gitWriter);
    const who = { name: 'Ada', email: 'ada@example.com', time: Date.parse('2026-01-01'), zone: '+0000' };
    const commit = async (files: { path: string; content: string }[]) => {
      const parents = commits.slice(-1);
      const tree = await writer.writeTree(id, parents[0], files);
      commits.push(await writer.writeCommit(id, { tree, parents, author: who, committer: who, message: 'Write' }));
    };
    await commit([{ path: 'src/00000.txt', content: 'zero\n' }]);
    await commit(Array.from({ length: count }, (_, at) => ({ path: nameOf(at), content: `one\ntwo ${at}\n` })));
    await host.services.get(refUpdates).apply({
      repositoryId: id,
      updates: [
        { ref: 'refs/heads/main', old: '0'.repeat(40), new: commits[1]! },
        { ref: 'refs/tags/v1', old: '0'.repeat(40), new: commits[0]! },
      ],
      pusher: actor,
      source: 'internal',
    });
    git = host.services.get(gitReader).open(id);
    // commits of five hundred changed files each, in both directions
    const trees = [
      await writer.writeTree(id, undefined, []),
      await writer.writeTree(
        id,
        undefined,
        Array.from({ length: 500 }, (_, at) => ({ path: nameOf(at), content: 'x\n' })),
      ),
    ];
    let tip = commits[0]!;
    for (let at = 0; at < 151; at++)
      tip = await writer.writeCommit(id, {
        tree: trees[at % 2]!,
        parents: [tip],
        author: who,
        committer: who,
        message: `Turn ${at}`,
      });
    await host.services.get(refUpdates).apply({
      repositoryId: id,
      updates: [
        { ref: 'refs/heads/many', old: '0'.repeat(40), new: tip },
        { ref: 'refs/heads/start', old: '0'.repeat(40), new: commits[0]! },
      ],
      pusher: actor,
      source: 'internal',
    });
    page = async (query) => {
      const answer = await host.as(actor).inject(`/ada/large/compare/v1...main${query}`);
      expect(answer.statusCode, answer.payload.slice(0, 300)).to.equal(200);
      return answer.payload;
    };
  });
  after(() => host.close());

  const shown = (html: string) => [...html.matchAll(/data-diff-file="([^"]+)"/g)].map(([, path]) => path);

  it('lists files window by window, and counts the lines of those that are shown', async () => {
    const first = await git.changePage(commits[0], commits[1]!);
    expect(first).to.include({ from: 0, total: count, isCounted: false });
    expect(first.changes).to.have.length(1_000);
    const last = await git.changePage(commits[0], commits[1]!, 3_050);
    expect(last.from).to.equal(3_000);
    expect(last.changes.map(({ path }) => path)).to.equal(Array.from({ length: 101 }, (_, at) => nameOf(3_000 + at)));
    const piece = await readDiff(git, commits[0], commits[1]!, { from: 3_050 });
    expect(piece.files.map(({ change }) => [change.path, change.additions])).to.equal(
      Array.from({ length: 30 }, (_, at) => [nameOf(3_050 + at), 2]),
    );
    expect(piece.next).to.equal(3_080);
  });

  it('counts everything where that is little', async () => {
    const all = await git.changePage(undefined, commits[0]!);
    expect(all).to.include({ from: 0, total: 1, isCounted: true });
    expect(all.changes[0]).to.include({ path: nameOf(0), additions: 1 });
  });

  it('shows a first page within bounds, the rest in pieces, and one file by itself', async () => {
    const first = await page('');
    expect(first).to.contain(['3,101 files changed', 'Load 3,071 more files']);
    expect(shown(first)).to.equal(Array.from({ length: 30 }, (_, at) => nameOf(at)));
    expect(first.match(/class="diff-tree-entry"/g)).to.have.length(400);
    // pieces end where windows do, and none is left out
    expect(shown(await page('?from=990&piece=1'))).to.equal(Array.from({ length: 10 }, (_, at) => nameOf(990 + at)));
    const end = await page('?from=3090');
    expect(shown(end)).to.equal(Array.from({ length: 11 }, (_, at) => nameOf(3_090 + at)));
    expect(end).to.not.contain('data-diff-more');
    expect(shown(await page(`?file=${nameOf(2_000)}&piece=1`))).to.equal([nameOf(2_000)]);
    expect(shown(await page('?from=999999&piece=1'))).to.equal([]);
  });

  it('commits of an answer have their files until these are very many, and then none, as when nobody asks', async () => {
    const answer = await host.inject(`/api/v1/repos/ada/large/compare/start...many`);
    expect(answer.statusCode, answer.payload.slice(0, 300)).to.equal(200);
    const commitsOf = answer.json.commits as { files: unknown[] | null; stats: { total: number } | null }[];
    expect(answer.json.total_commits).to.equal(151);
    const counted = commitsOf.filter(({ files }) => files !== null);
    // batches of fifty, until more than twenty thousand files are listed
    expect(counted).to.have.length(50);
    expect(counted.every(({ stats }) => stats !== null)).to.be.true();
    expect(commitsOf.slice(50).every(({ files, stats }) => files === null && stats === null)).to.be.true();
  });
});
