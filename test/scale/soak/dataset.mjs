// People and repositories of a few minutes: made, used, and deleted with all that belongs to them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { registriesOf } from '../../support/registries.mjs';
import { signIn } from '../../support/sign-in.mjs';

const password = 'long enough';
const workflow = `on:
  workflow_dispatch:
jobs:
  count:
    runs-on: linux
    steps:
      - run: for i in $(seq 100); do echo "line $i of the log"; done
      - run: echo "## Counted" >> $GITHUB_STEP_SUMMARY
`;
const base64 = (text) => Buffer.from(text).toString('base64');
const sockets = 6;

export class Dataset {
  #sockets = [];
  /** Operations that are about it just now. */
  users = 0;
  #next = 0;

  constructor(site, number) {
    this.site = site;
    this.name = `ada-${number}`;
    this.guest = `ben-${number}`;
    this.repo = `/repos/${this.name}/desk`;
    this.actionsRepo = `actions-${number}`;
    this.folder = join(site.server.folder, `client-${number}`);
  }

  mark() {
    return `m${this.#next++}`;
  }

  /** One call as its person; throws where the status is none of `expected`. */
  async api(method, path, body, { as = this.token, expected = [200, 201, 202, 204], headers } = {}) {
    const answer = await this.site.server.api(method, path, { as, body, headers });
    if (!expected.includes(answer.status))
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  }

  async prepare() {
    const { site, name, guest } = this;
    for (const username of [name, guest]) {
      const email = `${username}@example.com`;
      const body = { username, email, password, must_change_password: false };
      await this.api('POST', '/admin/users', body, { as: 'root:password' });
    }
    const asName = { as: `${name}:${password}` };
    const { json } = await this.api('POST', `/users/${name}/tokens`, { name: 'soak', scopes: ['all'] }, asName);
    this.token = json.sha1;
    await this.api('POST', '/user/repos', { name: 'desk', auto_init: true, default_branch: 'main' });
    await this.api('PUT', `${this.repo}/collaborators/${guest}`, { permission: 'write' });
    await this.api('PUT', `${this.repo}/subscription`, undefined, { as: this.asGuest });
    const hook = { type: 'mortise', active: true, events: ['push', 'issues', 'issue_comment', 'pull_request'] };
    await this.api('POST', `${this.repo}/hooks`, { ...hook, config: { url: site.receiver, content_type: 'json' } });
    mkdirSync(this.folder, { recursive: true });
    this.key = join(this.folder, 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', this.key]);
    await this.api('POST', '/user/keys', { title: 'soak', key: readFileSync(`${this.key}.pub`, 'utf8') });
    // the runner is one of root's
    const asRoot = { as: 'root:password' };
    await this.api('POST', '/user/repos', { name: this.actionsRepo, auto_init: true, default_branch: 'main' }, asRoot);
    const file = { content: base64(workflow), message: 'Count' };
    await this.api('POST', `/repos/root/${this.actionsRepo}/contents/.mortise/workflows/count.yml`, file, asRoot);
    await this.api('POST', `${this.repo}/issues`, { title: 'The first one', body: 'With a body.' });
    this.cookie = await signIn(site.base, name, password);
    for (let n = 0; n < sockets; n++) await this.listen();
    this.registries = registriesOf((...call) => this.#callRegistry(...call), { owner: name });
    await this.checkOut();
  }

  get asGuest() {
    return `${this.guest}:${password}`;
  }

  async #callRegistry(method, path, { body, type } = {}) {
    const answer = await fetch(`${this.site.base}${path}`, {
      method,
      body,
      headers: { authorization: `Basic ${base64(`${this.name}:${password}`)}`, ...(type && { 'content-type': type }) },
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  /** One more connection; the oldest of too many is closed. */
  async listen() {
    const ws = new WebSocket(`${this.site.base.replace(/^http/, 'ws')}/-/ws`, { headers: { cookie: this.cookie } });
    ws.on('message', () => this.site.liveMessages++);
    await new Promise((resolve, reject) => ws.once('open', resolve).once('error', reject));
    ws.on('error', () => undefined);
    this.#sockets.push(ws);
    if (this.#sockets.length > sockets) this.#sockets.shift().close();
  }

  /** Runs git as its person; throws with what it says. */
  async git(args, cwd = this.folder) {
    const ssh = `ssh -i ${this.key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ControlMaster=no`;
    const as = `${this.name}:${password}`;
    const { code, out, err } = await this.site.server.git(args, { cwd, as, env: { GIT_SSH_COMMAND: ssh } });
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${err.slice(0, 500)}`);
    return out.trim();
  }

  address(isSsh) {
    const path = `${this.name}/desk.git`;
    return isSsh ? `ssh://git@127.0.0.1:${this.site.sshPort}/${path}` : `${this.site.base}/${path}`;
  }

  async checkOut() {
    this.tree = join(this.folder, 'tree');
    await this.git(['clone', '-q', this.address(false), this.tree]);
    await this.git(['checkout', '-q', '-b', 'pushed'], this.tree);
  }

  /** It is not the current one any more; its content stays for a while. */
  close() {
    for (const ws of this.#sockets.splice(0)) ws.close();
  }

  async remove() {
    const asRoot = { as: 'root:password' };
    await this.api('DELETE', `/repos/root/${this.actionsRepo}`, undefined, asRoot);
    for (const name of [this.guest, this.name])
      await this.api('DELETE', `/admin/users/${name}?purge=true`, undefined, asRoot);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
