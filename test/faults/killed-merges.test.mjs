// The server is killed (SIGKILL to its whole group) at random moments while it merges pull requests and takes other writes.
// After each restart nothing acknowledged is missing, no merge is on the branch without its record, and no record says so
// without the merge.
// Time: about 60 s
//
//   MORTISE_TEST_FULL=1   50 merges, 200 writes and 6 kills in one run instead of 20, 80 and 3: more moments, none of
//                         another kind
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const full = Boolean(process.env.MORTISE_TEST_FULL);
const merges = full ? 50 : 20;
const writes = full ? 200 : 80;
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const styles = ['merge', 'squash', 'rebase'];
/** Then it may finish. Each moment is another in each run, so many runs find what few kills in one leave out. */
const maxKills = full ? 6 : 3;
/** A kill comes after so many merges, so that some are left for the next however fast this machine is; and within one. */
const mergesBetween = merges / (maxKills + 2);
const withinMs = 250;

describe(`a server killed while it merges (seed ${seed})`, { timeout: 1_800_000 }, () => {
  let server;
  let work;
  before(async () => {
    server = await startServer({ plugins: ['pulls', 'git-http', 'refs', 'history'] });
    work = join(server.folder, 'work');
  });
  after(() => server?.close());
  const git = async (...args) => {
    const { code, out, err } = await server.git(args, { cwd: work });
    expect(code, err).to.equal(0);
    return out.trim();
  };
  const api = (method, path, body) => server.api(method, `/repos/root/loom${path}`, { body });

  const prepare = async () => {
    mkdirSync(work);
    await git('init', '-q', '-b', 'main');
    const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const commit = (branch, name, from = '') =>
      `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> 1700000000 +0000\n${data(`add ${name}`)}${from}` +
      `M 644 inline ${name}.txt\n${data(`${name}\n`)}`;
    const commits = [commit('main', 'first')];
    for (let n = 1; n <= merges; n++) commits.push(commit(`p${n}`, `p${n}`, 'from refs/heads/main\n'));
    execFileSync('git', ['fast-import', '--quiet'], { cwd: work, input: commits.join('') });
    await server.api('POST', '/user/repos', { body: { name: 'loom', default_branch: 'main' } });
    await git('push', '-q', `${server.base}/root/loom.git`, '--all');
    for (let n = 1; n <= merges; n++) {
      const made = await api('POST', '/pulls', { head: `p${n}`, base: 'main', title: `p${n}` });
      expect([n, made.status, made.json.number]).to.equal([n, 201, n]);
    }
  };

  /** What each pull request and the branch say of each other. */
  const compare = async (round, acknowledged) => {
    await git('fetch', '-q', `${server.base}/root/loom.git`, '+refs/heads/main:refs/remotes/origin/main');
    const files = new Set((await git('ls-tree', '--name-only', 'origin/main')).split('\n'));
    const reached = new Set((await git('rev-list', 'origin/main')).split('\n'));
    const pulls = (await api('GET', '/pulls?state=all&limit=50')).json;
    expect(pulls.length).to.equal(merges);
    for (const { number, merged, state, merge_commit_sha: commit } of pulls) {
      const says = `round ${round}: pull request ${number}`;
      expect(merged, `${says}: the record and the branch`).to.equal(files.has(`p${number}.txt`));
      expect(state, says).to.equal(merged ? 'closed' : 'open');
      if (merged) expect(reached.has(commit), `${says}: ${commit}`).to.be.true();
      if (acknowledged.merges.has(number)) expect(merged, `${says} was acknowledged`).to.be.true();
      // whether or not the answer came before the kill
      if (merged) acknowledged.merges.add(number);
    }
    const left = pulls.filter(({ merged }) => !merged).length;
    const { json: record } = await server.api('GET', '/repos/root/loom');
    expect(record.open_pr_counter, `round ${round}: open ones are counted`).to.equal(left);
    const texts = new Map();
    for (let page = 1; page === 1 || texts.size === (page - 1) * 50; page++)
      for (const { id, body } of (await api('GET', `/issues/comments?limit=50&page=${page}`)).json) texts.set(id, body);
    for (const [id, body] of acknowledged.comments)
      expect(texts.get(id), `round ${round}: comment ${id}`).to.equal(body);
    return left;
  };

  it(`keeps ${merges} merges and ${writes} writes whole`, async () => {
    await prepare();
    const acknowledged = { merges: new Set(), comments: new Map() };
    let written = 0;
    let kills = 0;
    for (let round = 0; ; round++) {
      let isDead = false;
      let reach = () => {};
      const enough = new Promise((resolve) => (reach = resolve));
      let toMerge = Math.floor(random() * mergesBetween);
      if (toMerge === 0) reach();
      const merging = async () => {
        for (let n = 1; n <= merges && !isDead; n++) {
          if (acknowledged.merges.has(n)) continue;
          const body = { do: styles[n % styles.length], delete_branch_after_merge: n % 2 === 0 };
          const answer = await api('POST', `/pulls/${n}/merge`, body).catch(() => undefined);
          if (--toMerge === 0) reach();
          if (answer?.status === 200) acknowledged.merges.add(n);
          else if (answer && !isDead) expect([n, answer.status]).to.equal([n, 405]); // merged before the kill
        }
      };
      const writing = async () => {
        while (!isDead && written < writes) {
          const body = `write ${++written}`;
          const answer = await api('POST', `/issues/${1 + (written % merges)}/comments`, { body }).catch(
            () => undefined,
          );
          if (answer?.status === 201) acknowledged.comments.set(answer.json.id, body);
        }
      };
      const work = Promise.all([merging(), writing()]);
      const afterMs = random() * withinMs;
      const moment = enough.then(() => new Promise((resolve) => setTimeout(resolve, afterMs)));
      const isDone =
        kills >= maxKills
          ? await work.then(() => true)
          : await Promise.race([work.then(() => true), moment.then(() => false)]);
      if (!isDone) {
        isDead = true;
        await server.kill();
        await work;
        await server.start();
        kills++;
      }
      const left = await compare(round, acknowledged);
      if (isDone && left === 0 && written >= writes) break;
      expect(round, 'rounds').to.be.below(2 * maxKills);
    }
    expect([kills > 0, acknowledged.comments.size > writes / 2]).to.equal([true, true]);
    const checked = join(server.folder, 'checked.git');
    const cloned = await server.git(['clone', '-q', '--mirror', `${server.base}/root/loom.git`, checked]);
    expect(cloned.code, cloned.err).to.equal(0);
    expect((await server.git(['fsck', '--full', '--strict'], { cwd: checked })).code).to.equal(0);
    const doctor = server.cli('doctor');
    expect(doctor.code, doctor.out + doctor.err).to.equal(0);
  });
});
