import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { freePort } from '@mortise/plugin-sdk/testing';
import { workspaceRoot } from '../index.js';
import { Command } from 'commander';
import { addPluginCommands } from '../cli/plugin-commands.js';
import type { CommandDeclaration } from '../registry/index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const program = join(workspaceRoot(), 'core', 'bin', 'mortise.mjs');
const sound = join(workspaceRoot(), 'test', 'fixtures', 'broken-plugins', 'sound');

/** A server that is well below /sub. */
async function answering(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/sub/api/livez' ? 200 : 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe('the command line', { timeout: 600_000 }, () => {
  let folder: string;
  let env: Record<string, string | undefined>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-cli-'));
    env = {
      ...process.env,
      MORTISE_WORK_DIR: join(folder, 'data'),
      MORTISE__server__HTTP_PORT: String(await freePort()),
      MORTISE__server__HTTP_ADDR: '127.0.0.1',
      MORTISE__plugins__PATHS: sound,
      MORTISE__plugins__ENABLED: 'sound',
    };
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (args: string[], more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [program, ...args], { env: { ...env, ...more }, encoding: 'utf8', cwd: folder });

  it('shows the commands of the kernel and of plugins as help', () => {
    const { stdout, status } = run(['--help']);
    expect(status).to.equal(0);
    for (const word of ['web', 'migrate', 'doctor', 'plugins', 'settings', 'dump', 'restore'])
      expect(stdout).to.contain(word);
    expect(run(['dance']).status).to.equal(1);
  });

  it('prints its version without looking at the settings or the plugins', () => {
    const { version } = JSON.parse(readFileSync(join(workspaceRoot(), 'core/package.json'), 'utf8')) as {
      version: string;
    };
    const { stdout, status } = run(['--version'], { MORTISE__plugins__ENABLED: 'nobody' });
    expect([status, stdout]).to.equal([0, `${version}\n`]);
  });

  it('O5: plugins disable lists a plugin in the settings, and the next start is without', () => {
    const more = { MORTISE_WORK_DIR: join(folder, 'without') };
    expect(run(['plugins', 'disable', 'nobody'], more).stderr).to.contain('There is no plugin nobody.');
    expect(run(['plugins', 'disable', 'sou*'], more).stdout).to.contain('disabled sou*');
    expect(readFileSync(join(folder, 'without', 'config', 'app.ini'), 'utf8')).to.equal('[plugins]\nDISABLED = sou*\n');
    expect(run(['plugins', 'disable', 'sound'], more).stdout).to.contain('already disabled: sound');
    expect(run(['plugins', 'list'], more).stdout).to.match(/^off +sound/m);
  });

  it('O7: health asks where the settings say that the server listens', async () => {
    const { port, close } = await answering();
    const more = {
      MORTISE__server__HTTP_PORT: String(port),
      MORTISE__server__HTTP_ADDR: '0.0.0.0',
      MORTISE__server__ROOT_URL: 'https://code.example.com/sub/',
    };
    const asked = await new Promise<{ code: number | null; said: string }>((resolve) => {
      const child = spawn(process.execPath, [program, 'health'], { env: { ...env, ...more }, cwd: folder });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.on('close', (code) => resolve({ code, said }));
    });
    await close();
    expect([asked.code, asked.said.trim()]).to.equal([0, `http://127.0.0.1:${port}/sub/api/livez: 200`]);
    expect(run(['health'], more).status).to.equal(1);
  });

  it('issue 29: describes a group of commands by what its plugin says, or by what it offers', () => {
    const declared = ['admin user create', 'admin user list', 'admin task run'].map((name) => ({
      owner: 'admin',
      command: { name, summary: name },
    }));
    const tree = new Command();
    const groups = new Map([
      ['admin task', { name: 'admin task', summary: 'Scheduled tasks', example: 'admin task run --id a' }],
    ]);
    addPluginCommands(tree, declared as unknown as CommandDeclaration[], groups, () => Promise.resolve());
    const admin = tree.commands[0]!;
    expect([admin, ...admin.commands].map((one) => `${one.name()}: ${one.description()}`)).to.equal([
      'admin: user, task',
      'user: create, list',
      'task: Scheduled tasks',
    ]);
    let help = '';
    admin.commands[1]!.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).to.match(/\nExample:\n {2}mortise admin task run --id a\n$/);
  });

  it('plugins list names every plugin, and plugins show what one contributes', () => {
    expect(run(['plugins', 'list']).stdout)
      .to.contain('on ')
      .and.contain('sound');
    const { stdout } = run(['plugins', 'show', 'sound']);
    for (const part of ['[sound] GREETING = hello', 'sound.greeter', 'GET /api/v1/sound/{name}'])
      expect(stdout).to.contain(part);
    expect(run(['plugins', 'show', 'nobody']).stderr).to.contain('The plugin nobody is not loaded');
  });

  it('migrates once, and the doctor is content', () => {
    expect(run(['migrate']).stdout).to.contain('applied sound/0001_create_sound');
    expect(run(['migrate']).stdout).to.contain('up to date');
    const doctor = run(['doctor']);
    expect(doctor.stdout).to.contain('all is well');
    expect(doctor.status).to.equal(0);
  });

  it('writes the settings reference of the plugins that are on', () => {
    expect(run(['settings', 'reference', '--dir', join(folder, 'reference')]).status).to.equal(0);
  });

  it('a start with several wrong settings prints the reason of each, and no stack', () => {
    const { stderr, status } = run(['migrate'], { MORTISE__server__HTTP_PORT: 'many', MORTISE__log__LEVEL: 'loud' });
    expect(status).to.equal(1);
    expect(stderr)
      .to.contain('2 reasons')
      .and.contain('[server] HTTP_PORT')
      .and.contain('[log] LEVEL')
      .and.not.contain('at async');
  });

  it('dump writes all data to a file, and restore brings it back', () => {
    mkdirSync(join(folder, 'data', 'repositories'), { recursive: true });
    writeFileSync(join(folder, 'data', 'repositories', 'file'), 'kept');
    const file = join(folder, 'dump.tar.gz');
    const dumped = run(['dump', file]);
    expect(dumped.stdout, dumped.stderr).to.contain('written');
    expect(run(['dump', file]).stderr).to.contain('already exists');
    const other = { MORTISE_WORK_DIR: join(folder, 'other') };
    const restored = run(['restore', file], other);
    expect(restored.stdout, restored.stderr).to.contain('restored');
    expect(run(['restore', file], other).stderr).to.contain('is not empty');
    expect(run(['migrate'], other).stdout).to.contain('up to date');
  });

  async function serve(workers: string): Promise<{ child: ChildProcess; base: string; ended: Promise<number | null> }> {
    const child = spawn(process.execPath, [program, 'web'], {
      env: { ...env, MORTISE__server__WORKERS: workers },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const base = `http://127.0.0.1:${env.MORTISE__server__HTTP_PORT}`;
    await answers(base);
    return { child, base, ended };
  }

  async function answers(base: string): Promise<void> {
    for (const until = Date.now() + 300_000; Date.now() < until;) {
      if (
        await fetch(`${base}/api/v1/version`).then(
          (one) => one.ok,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the server does not answer');
  }

  it('serves in one process until SIGTERM', async () => {
    const { child, base, ended } = await serve('1');
    expect(await (await fetch(`${base}/api/v1/sound/ada`)).text()).to.equal('hello');
    child.kill('SIGTERM');
    expect(await ended).to.equal(0);
  });

  it('serves in several, and replaces one that dies', async () => {
    const { child, base, ended } = await serve('2');
    const workers = () =>
      spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
        .stdout.trim()
        .split('\n')
        .map(Number);
    const two = async (without = 0) => {
      for (let tries = 0; tries < 3000; tries++) {
        const now = workers();
        if (now.length === 2 && !now.includes(without)) return now;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`there are ${workers().length} workers`);
    };
    const [first] = await two();
    process.kill(first!, 'SIGKILL');
    await two(first);
    await answers(base);
    child.kill('SIGTERM');
    expect(await ended).to.equal(0);
  });
});
