// Afterwards: what was acknowledged is there, once, on every node, and the files are whole.
import { readdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { signIn } from '../../support/sign-in.mjs';
import { api, owner } from './client.mjs';
import { contentOf, repositories } from './load.mjs';
import { until } from './program.mjs';

async function get(base, path) {
  const { status, json, text } = await api(base, 'GET', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  return json;
}

const maxPages = 1000;

/** All pages of a list. */
async function all(base, path) {
  const found = [];
  for (let page = 1; page <= maxPages; page++) {
    const json = await get(base, `${path}${path.includes('?') ? '&' : '?'}limit=50&page=${page}`);
    const rows = Array.isArray(json) ? json : (json.data ?? json.workflow_runs);
    found.push(...rows);
    if (rows.length < 50) return found;
  }
  throw new Error(`${path} has no end`);
}

const twice = (names) => names.filter((name, at) => names.indexOf(name) !== at);

class Checks {
  lost = [];
  doubled = [];
  other = [];

  constructor(cluster, ledger, git) {
    Object.assign(this, { cluster, ledger, git });
  }

  /** `found` has each of the wanted, and none twice. */
  #compare(node, kind, wanted, found) {
    const there = new Set(found);
    for (const one of wanted) if (!there.has(one)) this.lost.push(`${node.name}: ${kind} ${one}`);
    for (const one of new Set(twice(found))) this.doubled.push(`${node.name}: ${kind} ${one}`);
  }

  async onNode(node) {
    const of = (kind, repository) => this.ledger.of(kind).filter((one) => one.repository === repository);
    for (const repository of repositories) {
      const at = `/repos/root/${repository}`;
      const issues = await all(node.base, `${at}/issues?state=all&type=issues`);
      const pulls = await all(node.base, `${at}/pulls?state=all`);
      this.#compare(
        node,
        'issue',
        of('issue', repository).map(({ title }) => title),
        issues.map(({ title }) => title),
      );
      this.#compare(
        node,
        'pull',
        of('pull', repository).map(({ title }) => title),
        pulls.map(({ title }) => title),
      );
      const numbers = [...issues, ...pulls].map(({ number }) => number);
      for (const number of twice(numbers)) this.doubled.push(`${node.name}: ${repository}#${number}`);
      const merged = pulls.filter((one) => one.merged).map(({ number }) => number);
      this.#compare(
        node,
        'merge',
        of('merge', repository).map(({ number }) => number),
        merged,
      );
      const comments = [];
      // a list that has no pages
      for (const number of [1, 2]) comments.push(...(await get(node.base, `${at}/issues/${number}/comments`)));
      this.#compare(
        node,
        'comment',
        of('comment', repository).map(({ body }) => body),
        comments.map(({ body }) => body),
      );
      const heads = (await this.git.must(['ls-remote', `${node.base}/root/${repository}.git`])).split('\n');
      const branches = heads.map((line) => line.split('\t')[1].replace('refs/heads/', ''));
      this.#compare(
        node,
        'branch',
        of('branch', repository).map(({ branch }) => branch),
        branches,
      );
    }
    for (const { name, path } of this.ledger.of('package')) {
      const answer = await fetch(`${node.base}${path}`, {
        headers: { authorization: `Basic ${Buffer.from(owner).toString('base64')}` },
      });
      const content = Buffer.from(await answer.arrayBuffer());
      const isSame = answer.status === 200 && content.equals(contentOf(name));
      if (!isSame) this.lost.push(`${node.name}: package ${name}: ${answer.status}, ${content.length} bytes`);
    }
    const runs = await all(node.base, '/repos/root/mill/actions/runs');
    const title = ({ display_title: text }) => text;
    this.#compare(
      node,
      'run',
      this.ledger.of('run').map(({ mark }) => mark),
      runs.map(title),
    );
    return runs;
  }

  /** By a clone of each repository: files and commits that were acknowledged. */
  async contents() {
    for (const repository of repositories) {
      const folder = join(this.git.folder, `after-${repository}`);
      await this.git.must(['clone', '-q', '--bare', this.git.http(repository), folder]);
      const files = new Set((await this.git.must(['ls-tree', '--name-only', 'main'], folder)).split('\n'));
      for (const kind of ['file', 'merge'])
        for (const { repository: of, name } of this.ledger.of(kind))
          if (of === repository && !files.has(name))
            this.lost.push(`${repository}: ${name} of an acknowledged ${kind}`);
      const messages = (await this.git.must(['log', '--format=%s', '--no-merges', 'main'], folder)).split('\n');
      for (const one of new Set(twice(messages.filter((text) => text.startsWith('m')))))
        this.doubled.push(`${repository}: commit ${one}`);
      for (const { repository: of, branch, oid } of this.ledger.of('push')) {
        if (of !== repository) continue;
        const found = await this.git.run(['merge-base', '--is-ancestor', oid, `refs/heads/${branch}`], folder);
        if (found.code !== 0) this.lost.push(`${repository}: ${oid} of an acknowledged push to ${branch}`);
      }
    }
  }

  /** The files of all repositories, and what `mortise doctor` finds. */
  files() {
    const roots = join(this.cluster.folder, 'shared', 'repositories');
    const found = readdirSync(roots, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && entry.name.endsWith('.git'),
    );
    if (found.length < repositories.length) this.other.push(`only ${found.length} repositories are in ${roots}`);
    for (const entry of found) {
      try {
        execFileSync('git', ['fsck', '--full', '--strict'], { cwd: join(entry.parentPath, entry.name), stdio: 'pipe' });
      } catch (error) {
        this.other.push(`git fsck of ${entry.name}: ${error.stderr}`);
      }
    }
    const { code, out, err } = this.cluster.nodes[0].cli('doctor');
    if (code !== 0) this.other.push(`mortise doctor: ${out} ${err}`.slice(0, 2000));
  }

  /** What happens at one node is told to pages that another serves. */
  async live() {
    const nodes = this.cluster.nodes;
    for (const [at, node] of nodes.entries()) {
      const other = nodes[(at + 1) % nodes.length];
      const cookie = await signIn(node.base, 'guest', 'long enough');
      const socket = new WebSocket(`${node.base.replace(/^http/, 'ws')}/-/ws`, { headers: { cookie } });
      let hasMessage = false;
      socket.on('message', () => (hasMessage = true));
      socket.on('error', (error) => this.other.push(`WebSocket at ${node.name}: ${error.message}`));
      try {
        await until('the socket is open', () => socket.readyState === WebSocket.OPEN, 30);
        const body = { title: `for guest ${at}`, body: '@guest' };
        await api(other.base, 'POST', `/repos/root/${repositories[0]}/issues`, { body });
        await until('a message', () => hasMessage, 60);
      } catch (error) {
        this.other.push(`${node.name} told nothing of what happened at ${other.name}: ${error.message}`);
      }
      socket.terminate();
    }
  }
}

/** Gives { lost, doubled, other }: sentences, each about one thing. */
export async function check(cluster, load, ledger, say) {
  const checks = new Checks(cluster, ledger, load.git);
  // runs that wait for the runner, which had lost an answer, are taken up now
  for (let idle = 0; idle < 3;) {
    if (await load.job()) idle = 0;
    else idle++;
    await wait(300);
  }
  for (const node of cluster.nodes) await checks.onNode(node);
  await checks.contents();
  say('checked rows, packages and branches');
  await checks.live();
  checks.files();
  say('checked live messages and files');
  const { lost, doubled, other } = checks;
  return { lost, doubled, other };
}
