// A mixed load: people, git, packages and a runner, all at once. Whatever is acknowledged goes into the ledger.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { registerRunner } from '../../support/runner-calls.mjs';
import { api, Git, OutcomeUnknown } from './client.mjs';
import { sleep } from './program.mjs';

export const repositories = ['desk', 'shelf'];
const workflow = `run-name: \${{ inputs.mark }}
on:
  workflow_dispatch:
    inputs:
      mark: { required: true, type: string }
jobs:
  weave:
    runs-on: loom
    steps:
      - run: echo woven
`;
const base64 = (text) => Buffer.from(text).toString('base64');
/** What a package of that name holds. */
export const contentOf = (name) =>
  Buffer.concat(Array.from({ length: 64 }, (_, at) => createHash('sha512').update(`${name} ${at}`).digest()));

/** Answers that say "not now", and conflicts of what several do to one thing. */
const isRefusal = (status) => [409, 423, 429, 502, 503, 504].includes(status);

export class Load {
  #isOver = false;
  #running = [];
  #next = 0;

  constructor(cluster, { random, ledger }) {
    Object.assign(this, { cluster, random, ledger });
    this.base = cluster.front.base;
    this.git = new Git(join(cluster.folder, 'client'), cluster.front.address);
  }

  /** Repositories, a key, a workflow and a runner. */
  async prepare() {
    const make = async (method, path, body) => {
      const answer = await api(this.base, method, path, { body });
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json;
    };
    for (const name of [...repositories, 'mill'])
      await make('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    await make('POST', '/user/repos', { name: 'vault', private: true, auto_init: true });
    const guest = {
      username: 'guest',
      email: 'guest@example.com',
      password: 'long enough',
      must_change_password: false,
    };
    await make('POST', '/admin/users', guest);
    const file = { content: base64(workflow), message: 'Weave' };
    await make('POST', '/repos/root/mill/contents/.mortise/workflows/weave.yml', file);
    for (const title of ['one', 'two'])
      for (const name of repositories) await make('POST', `/repos/root/${name}/issues`, { title: `kept ${title}` });
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', this.git.key]);
    const key = execFileSync('cat', [`${this.git.key}.pub`], { encoding: 'utf8' });
    await make('POST', '/user/keys', { title: 'load', key });
    const { token } = await make('POST', '/admin/actions/runners/registration-token');
    this.runner = await registerRunner(this.base, { name: 'jacquard', token, labels: ['loom'] });
  }

  mark() {
    return `m${this.#next++}`;
  }

  /** Mostly by the front; else one node, to whom the front might have led as well. */
  #anyBase() {
    return this.random.number() < 0.6 ? this.base : this.random.pick(this.cluster.nodes).base;
  }

  /** Gives the answer of a write when it was acknowledged, and undefined else. */
  async #write(kind, method, path, options, base = this.#anyBase()) {
    const answer = await api(base, method, path, options);
    if (answer.status < 300) return answer;
    if (isRefusal(answer.status)) this.ledger.refuse(kind);
    else this.ledger.violation(`${kind}: ${method} ${base}${path}: ${answer.status} ${answer.text}`);
    return undefined;
  }

  /** Another node shows at once what one acknowledged, or says that it cannot. */
  async #seen(kind, path, isSame) {
    const node = this.random.pick(this.cluster.nodes);
    const answer = await api(node.base, 'GET', path).catch(() => undefined);
    if (!answer || answer.status === 503) return;
    if (answer.status === 200 && isSame(answer)) return;
    if (answer.status !== 200 && answer.status !== 404) {
      this.ledger.violation(`${kind}: GET ${node.base}${path}: ${answer.status} ${answer.text}`);
      return;
    }
    this.ledger.staleReads++;
    this.ledger.violation(
      `${kind}: ${node.name} answered ${answer.status} to ${path} right after another acknowledged it`,
    );
  }

  async issue() {
    const repository = this.random.pick(repositories);
    const title = this.mark();
    const answer = await this.#write('issue', 'POST', `/repos/root/${repository}/issues`, { body: { title } });
    if (!answer) return;
    const { number } = answer.json;
    this.ledger.acknowledge('issue', { repository, title, number });
    await this.#seen('issue', `/repos/root/${repository}/issues/${number}`, ({ json }) => json.title === title);
  }

  async comment() {
    const repository = this.random.pick(repositories);
    const body = this.mark();
    const number = 1 + this.random.below(2);
    const path = `/repos/root/${repository}/issues/${number}/comments`;
    const answer = await this.#write('comment', 'POST', path, { body: { body } });
    if (!answer) return;
    const { id } = answer.json;
    this.ledger.acknowledge('comment', { repository, number, id, body });
    await this.#seen('comment', `/repos/root/${repository}/issues/comments/${id}`, ({ json }) => json.body === body);
  }

  async file() {
    const repository = this.random.pick(repositories);
    const name = `${this.mark()}.txt`;
    const body = { content: base64(name), message: name };
    const answer = await this.#write('file', 'POST', `/repos/root/${repository}/contents/${name}`, { body });
    if (!answer) return;
    this.ledger.acknowledge('file', { repository, name });
    await this.#seen('file', `/repos/root/${repository}/contents/${name}`, ({ json }) => json.name === name);
  }

  async merge() {
    const repository = this.random.pick(repositories);
    const mark = this.mark();
    const at = `/repos/root/${repository}`;
    const body = { content: base64(mark), message: mark, branch: 'main', new_branch: mark };
    if (!(await this.#write('branch', 'POST', `${at}/contents/${mark}.txt`, { body }))) return;
    this.ledger.acknowledge('branch', { repository, branch: mark });
    const pull = { title: mark, head: mark, base: 'main' };
    const made = await this.#write('pull', 'POST', `${at}/pulls`, { body: pull });
    if (!made) return;
    const { number } = made.json;
    this.ledger.acknowledge('pull', { repository, number, title: mark });
    for (let tries = 0; tries < 3; tries++) {
      const answer = await api(this.#anyBase(), 'POST', `${at}/pulls/${number}/merge`, { body: { Do: 'merge' } });
      if (answer.status === 200) {
        this.ledger.acknowledge('merge', { repository, number, name: `${mark}.txt` });
        return this.#seen('merge', `${at}/pulls/${number}`, ({ json }) => json.merged === true);
      }
      // main has moved, or the check of conflicts has not ended
      if (answer.status !== 405 && !isRefusal(answer.status)) {
        this.ledger.violation(`merge: ${at}/pulls/${number}: ${answer.status} ${answer.text}`);
        return;
      }
      await sleep(300);
    }
    this.ledger.refuse('merge');
  }

  async package() {
    const name = this.mark();
    const path = `/api/packages/root/generic/${name}/1.0.0/content.bin`;
    if (!(await this.#write('package', 'PUT', path, { raw: contentOf(name) }))) return;
    this.ledger.acknowledge('package', { name, path });
  }

  async run() {
    const mark = this.mark();
    const path = '/repos/root/mill/actions/workflows/weave.yml/dispatches?return_run_details=true';
    const answer = await this.#write('run', 'POST', path, { body: { ref: 'main', inputs: { mark } } });
    if (answer) this.ledger.acknowledge('run', { mark, id: answer.json.workflow_run_id });
  }

  /** One writer for each branch, so that its history is a line. */
  async push(worker) {
    const repository = repositories[worker % repositories.length];
    const folder = join(this.git.folder, `push-${worker}`);
    const branch = `worker-${worker}`;
    if (!existsSync(folder)) {
      mkdirSync(folder);
      await this.git.must(['init', '-q'], folder);
    }
    const name = this.mark();
    writeFileSync(join(folder, name), contentOf(name));
    await this.git.must(['add', '.'], folder);
    await this.git.must(['commit', '-qm', name], folder);
    const oid = await this.git.must(['rev-parse', 'HEAD'], folder);
    const url = this.random.number() < 0.5 ? this.git.http(repository) : this.git.ssh(repository);
    const { code, err } = await this.git.run(['push', '-q', url, `HEAD:refs/heads/${branch}`], folder);
    if (code === 0) {
      this.ledger.acknowledge('push', { repository, branch, oid });
      const path = `/repos/root/${repository}/branches/${branch}`;
      return this.#seen('push', path, ({ json }) => json.commit.id === oid);
    }
    this.#failed('push', err);
  }

  /** What git says when a server or its proxy is away for the moment. */
  #failed(kind, err) {
    const passing =
      /50[234]|hung up|RPC failed|Connection (reset|refused|timed out|closed)|closed by remote|not ready|[Tt]ry again|unavailable|Could not read|Failed to connect|early EOF|unexpected disconnect|timed out|kex_exchange/;
    if (passing.test(err)) this.ledger.countUnknown(kind);
    else this.ledger.violation(`${kind}: ${err}`);
  }

  async clone(worker) {
    const repository = this.random.pick(repositories);
    const wanted = new Map();
    for (const push of this.ledger.of('push')) if (push.repository === repository) wanted.set(push.branch, push.oid);
    const folder = join(this.git.folder, `clone-${worker}`);
    rmSync(folder, { recursive: true, force: true });
    const url = this.random.number() < 0.5 ? this.git.http(repository) : this.git.ssh(repository);
    const { code, err } = await this.git.run(['clone', '-q', '--bare', url, folder]);
    // a branch that was taken back, because the database refused it, between the list of references and the pack
    if (code !== 0 && /not our ref/.test(err)) return this.ledger.countUnknown('clone');
    if (code !== 0) return this.#failed('clone', err);
    for (const [branch, oid] of wanted) {
      const found = await this.git.run(['merge-base', '--is-ancestor', oid, `refs/heads/${branch}`], folder);
      if (found.code !== 0)
        this.ledger.violation(`clone: ${repository} has no ${oid} in ${branch}, which was acknowledged`);
    }
    this.ledger.acknowledge('clone', { repository });
  }

  /** A token, and the right to read a repository, are withdrawn at one node: how long do others let them pass? */
  async revoke() {
    const giver = this.random.pick(this.cluster.nodes).base;
    const name = this.mark();
    const token = await this.#write('token', 'POST', '/users/root/tokens', { body: { name, scopes: ['all'] } }, giver);
    if (!token) return;
    const guest = '/repos/root/vault/collaborators/guest';
    const asGuest = 'guest:long enough';
    if (!(await this.#write('right', 'PUT', guest, { body: { permission: 'read' } }, giver))) return;
    await Promise.all(
      this.cluster.nodes.flatMap(({ base }) => [
        api(base, 'GET', '/user', { as: token.json.sha1 }).catch(() => undefined),
        api(base, 'GET', '/repos/root/vault', { as: asGuest }).catch(() => undefined),
      ]),
    );
    const { id } = token.json;
    const [gone, away] = await Promise.all([
      this.#write('token', 'DELETE', `/users/root/tokens/${id}`, {}, giver).catch(() => undefined),
      this.#write('right', 'DELETE', guest, {}, giver).catch(() => undefined),
    ]);
    const since = Date.now();
    const watch = async (kind, node, path, as) => {
      for (let tries = 0; tries < 100; tries++) {
        const asked = Date.now();
        const answer = await api(node.base, 'GET', path, { as, patience: 20_000 }).catch(() => undefined);
        if (!answer || answer.status !== 200) break;
        const ms = asked - since;
        this.ledger.longestUseAfterRevokeMs = Math.max(this.ledger.longestUseAfterRevokeMs, ms, 1);
        this.ledger.violation(`${kind}: ${node.name} still accepted it ${ms} ms after it was revoked`);
        await sleep(200);
      }
    };
    await Promise.all(
      this.cluster.nodes.flatMap((node) => [
        ...(gone ? [watch('token', node, '/user', token.json.sha1)] : []),
        ...(away ? [watch('right', node, '/repos/root/vault', asGuest)] : []),
      ]),
    );
    if (gone) this.ledger.acknowledge('token', { id });
    if (away) this.ledger.acknowledge('right', {});
  }

  /** Jobs are taken one after the other, and reported until the server has heard of it. */
  async #work() {
    while (!this.#isOver) {
      await this.job();
      await sleep(500);
    }
  }

  /** Gives whether there was one. */
  async job() {
    const { task } = await this.runner.call('FetchTask', {}).catch(() => ({}));
    if (!task) return false;
    const now = new Date().toISOString();
    const rows = [{ time: now, content: 'woven' }];
    const step = { id: '0', result: 'RESULT_SUCCESS', startedAt: now, stoppedAt: now, logIndex: '0', logLength: '1' };
    const state = { id: task.id, result: 'RESULT_SUCCESS', startedAt: now, stoppedAt: now, steps: [step] };
    let last;
    for (let tries = 0; tries < 100; tries++) {
      try {
        await this.runner.call('UpdateLog', { taskId: task.id, index: '0', rows, noMore: true });
        await this.runner.call('UpdateTask', { state });
        this.ledger.acknowledge('job', { task: task.id });
        return true;
      } catch (error) {
        last = error.message;
        await sleep(500);
      }
    }
    this.ledger.violation(`job: task ${task.id} could not be reported: ${last}`);
    return true;
  }

  start(clients = 3) {
    const weights = { issue: 5, comment: 5, file: 3, merge: 2, package: 3, run: 1, push: 4, clone: 1 };
    const loop = async (worker) => {
      while (!this.#isOver) {
        const kind = this.random.weighted(weights);
        try {
          await this[kind](worker);
        } catch (error) {
          if (error instanceof OutcomeUnknown) this.ledger.countUnknown(kind);
          else this.ledger.violation(`${kind}: ${error.stack}`);
        }
        await sleep(100);
      }
    };
    const withdraw = async () => {
      for (; !this.#isOver; await sleep(2000))
        await this.revoke().catch((error) => {
          if (!(error instanceof OutcomeUnknown)) this.ledger.violation(`revoke: ${error.stack}`);
        });
    };
    this.#running = [...Array.from({ length: clients }, (_, at) => loop(at)), withdraw(), this.#work()];
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.#running);
  }
}
