import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const program = join(fileURLToPath(import.meta.resolve('@mortise/core')), '..', '..', 'bin', 'mortise.mjs');
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('git over SSH from several workers', { timeout: 600_000 }, () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let http: string;
  let ssh: string;
  let sshPort: number;
  let server: ChildProcess;
  let log = '';

  const start = async () => {
    server = spawn(process.execPath, [program, 'web'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (text: Buffer) => (log += text.toString()));
    for (const until = Date.now() + 200_000; Date.now() < until && server.exitCode === null;) {
      if (
        await fetch(`${http}/api/healthz`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        return;
      await wait(100);
    }
    throw new Error(log);
  };
  const stop = () => {
    const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    return ended;
  };
  const git = (cwd: string, ...args: string[]) =>
    run('git', args, {
      cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GIT_TERMINAL_PROMPT: '0',
        GIT_SSH_COMMAND: `ssh -F none -i ${folder}/id -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${folder}/known -o LogLevel=ERROR`,
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.com',
      },
    });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-ssh-workers-'));
    const port = await freePort();
    do sshPort = await freePort();
    while (sshPort === port);
    http = `http://127.0.0.1:${port}`;
    ssh = `ssh://git@127.0.0.1:${sshPort}/root/one.git`;
    env = {
      ...process.env,
      MORTISE_WORK_DIR: join(folder, 'data'),
      MORTISE__server__HTTP_PORT: String(port),
      MORTISE__server__HTTP_ADDR: '127.0.0.1',
      MORTISE__server__ROOT_URL: http,
      MORTISE__server__WORKERS: '3',
      MORTISE__server__SSH_PORT: String(sshPort),
      MORTISE__server__SSH_LISTEN_HOST: '127.0.0.1',
      // what is begun may take its time on a slow machine
      MORTISE__server__SSH_DRAIN_TIME: '200s',
      MORTISE__server__GRACEFUL_HAMMER_TIME: '200s',
      MORTISE__log__LEVEL: 'warn',
      MORTISE__plugins__ENABLED:
        'accounts admin sessions auth-basic auth-token git repositories git-transport git-http git-ssh',
    };
    const words = ['admin', 'user', 'create', '--admin', '--username', 'root', '--password', 'password'];
    const made = spawnSync(process.execPath, [program, ...words, '--email', 'root@example.com'], {
      env,
      encoding: 'utf8',
    });
    expect(made.stderr + made.stdout).to.contain('root');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')]);
    await start();
    const post = (path: string, body: object) =>
      fetch(`${http}/api/v1${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('root:password')}` },
      });
    const key = readFileSync(join(folder, 'id.pub'), 'utf8').trim();
    expect((await post('/user/keys', { title: 'mine', key })).status).to.equal(201);
    const answer = await post('/user/repos', { name: 'one' });
    expect(((await answer.json()) as { ssh_url: string }).ssh_url).to.equal(ssh);
    const work = join(folder, 'work');
    mkdirSync(work);
    await git(work, 'init', '-q', '-b', 'main');
    writeFileSync(join(work, 'noise'), randomBytes(40_000_000));
    await git(work, 'add', '.');
    await git(work, 'commit', '-q', '-m', 'noise');
    await git(work, '-c', 'core.compression=0', 'push', '-q', ssh, 'main');
  });
  after(async () => {
    if (server.exitCode === null) await stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it('all show the same host keys, which were made once', async () => {
    for (let n = 0; n < 12; n++) expect((await git(folder, 'ls-remote', ssh)).stdout).to.contain('refs/heads/main');
    expect(readdirSync(join(folder, 'data', 'ssh')).sort()).to.equal(['host.ecdsa', 'host.ed25519', 'host.rsa']);
    expect(log).to.not.contain('not served');
  });

  it('SIGTERM lets clones over HTTP and SSH end, and takes no new ones', async () => {
    const names = ['by-http', 'by-ssh'];
    const clones = [`${http}/root/one.git`, ssh].map((url, n) =>
      git(folder, 'clone', '-q', '--bare', url, names[n] as string),
    );
    const arriving = (name: string) => {
      try {
        return readdirSync(join(folder, name, 'objects', 'pack')).length > 0;
      } catch {
        return false;
      }
    };
    for (const until = Date.now() + 200_000; !names.every(arriving) && Date.now() < until;) await wait(2);
    expect(names.filter(arriving)).to.equal(names);
    const ended = stop();
    await wait(300);
    await Promise.all(clones);
    for (const name of names) await git(join(folder, name), 'fsck', '--strict');
    expect(await ended).to.equal(0);
    await expect(git(folder, 'ls-remote', ssh)).to.reject();
  });

  it('starts again at once, with the same keys', async () => {
    await start();
    expect((await git(folder, 'ls-remote', ssh)).stdout).to.contain('refs/heads/main');
    expect(await stop()).to.equal(0);
  });
});
