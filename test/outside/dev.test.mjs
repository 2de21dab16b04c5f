// `mortise dev FOLDER`: what is saved is seen in the browser, without a reload by hand.
// Database: SQLite alone, as nothing here has to do with the database.
// Time: about 50 s
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort } from '@mortise/plugin-sdk/testing';
import { makeReference } from '../../core/bin/reference.mjs';
import { launchChromium, signIn } from '../browser/chromium.mjs';
import { browsers } from '../services/install.mjs';
import { pluginsBeside } from '../support/plugin-names.mjs';
import { must, root } from './kit.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const program = join(root, 'core/bin/mortise.mjs');
const hasBrowser = Boolean(process.env.MORTISE_TEST_CHROMIUM ?? browsers.find(existsSync));

describe('mortise dev', { timeout: 600_000 }, () => {
  let folder;
  let plugin;
  let base;
  let server;
  let log = '';
  let browser;

  const page = () => join(plugin, 'pages/notes.tsx');
  const change = (from, to) => writeFileSync(page(), readFileSync(page(), 'utf8').replace(from, to));
  const until = async (holds) => {
    while (!(await holds())) {
      if (server.exitCode !== null) throw new Error(`mortise dev ended with ${server.exitCode}:\n${log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const ready = () =>
    fetch(`${base}/-/ready`).then(
      (answer) => answer.ok,
      () => false,
    );

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-dev-'));
    plugin = join(folder, 'notes');
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      MORTISE_WORK_DIR: join(folder, 'work'),
      MORTISE__server__HTTP_ADDR: '127.0.0.1',
      MORTISE__server__ROOT_URL: base,
      MORTISE__server__SSH_PORT: '0',
      MORTISE__log__LEVEL: 'warn',
      // the others would be started with it each time
      MORTISE__plugins__DISABLED: pluginsBeside('sessions', 'auth-basic', 'admin'),
    };
    must(process.execPath, [program, 'plugins', 'new', 'plugin', 'notes', '--dir', plugin], { env });
    symlinkSync(join(root, 'node_modules'), join(plugin, 'node_modules'));
    must(
      process.execPath,
      [
        program,
        'admin',
        'user',
        'create',
        '--username',
        'ada',
        '--password',
        'correct horse',
        '--email',
        'ada@example.com',
      ],
      { env },
    );
    server = spawn(process.execPath, [program, 'dev', plugin, '--port', String(port)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (log += chunk));
    await until(ready);
  });
  after(async () => {
    await browser?.close();
    if (server && server.exitCode === null) {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('shows what is saved in the open page', async (flags) => {
    if (!hasBrowser) return flags.note('no browser here');
    browser = await launchChromium();
    const tab = await (await browser.newContext()).newPage();
    await signIn(tab, base, 'ada:correct horse');
    await tab.goto(`${base}/notes`);
    await tab.waitForSelector('text=No notes yet.');
    const began = Date.now();
    change('No notes yet.', 'Nothing written yet.');
    await tab.waitForSelector('text=Nothing written yet.');
    const took = Date.now() - began;
    console.log(`mortise dev: visible in the browser ${took} ms after it was saved`);
    // on a machine with nothing else to do: below 2,000
    expect(took).to.be.below(60_000);
  });

  it('has a page with every part that pages are made of', async () => {
    const answer = await fetch(`${base}/-/parts`);
    const html = await answer.text();
    expect([answer.status, html.includes('live-reload')]).to.equal([200, true]);
    const parts = (await makeReference()).get('parts.md');
    const names = [...parts.matchAll(/\[`([A-Z]\w+)`\]/g)].map(([, name]) => name);
    // what is not seen on a page
    const hidden = new Set(['IslandTexts']);
    expect(names.filter((name) => !hidden.has(name) && !html.includes(`id="${name}"`))).to.equal([]);
  });

  it('says where a mistake is and goes on serving; heals when it is mended', async () => {
    change('<Section', '<<Section');
    await until(() => /notes\.tsx:\d+:\d+: /.test(log));
    expect(await ready()).to.be.true();
    const said = log.length;
    change('<<Section', '<Section');
    await until(() => log.slice(said).includes('starting again'));
    await until(ready);
  });

  it('waits for a folder that is being replaced, and goes on when it is back', async () => {
    let said = log.length;
    renameSync(plugin, `${plugin}-away`);
    await until(() => log.slice(said).includes('waiting for it'));
    expect(await ready()).to.be.true();
    renameSync(`${plugin}-away`, plugin);
    await until(() => log.slice(said).includes('starting again'));
    said = log.length;
    await until(() => log.slice(said).includes(' ms after it was saved') && ready());
    change('<Section', '<Section ');
    await until(() => log.slice(said).includes('starting again'));
  });

  it('says afterwards what is wrong with the types, and serves all the same', async () => {
    const said = log.length;
    writeFileSync(page(), `${readFileSync(page(), 'utf8')}export const wrong: number = 'text';\n`);
    await until(() => /notes\.tsx\(\d+,\d+\): error TS2322/.test(log.slice(said)));
    expect(await ready()).to.be.true();
    change("export const wrong: number = 'text';\n", '');
    await until(() => log.slice(said).includes('the types are right again'));
  });

  it('names the line of the source in errors', async () => {
    change(
      'export const NotesPage = (',
      'export const broken = () => { throw new Error("in line one"); };\nexport const NotesPage = (',
    );
    const compiled = () => readFileSync(join(plugin, 'dist/pages/notes.js'), 'utf8');
    await until(() => compiled().includes('in line one'));
    expect(compiled()).to.match(/\/\/# sourceMappingURL=notes\.js\.map/);
    expect(JSON.parse(readFileSync(join(plugin, 'dist/pages/notes.js.map'), 'utf8')).sources[0]).to.match(
      /pages\/notes\.tsx$/,
    );
  });

  it('serves what is saved of a plugin that needs no compiling', async () => {
    const plain = join(folder, 'plain');
    const port = await freePort();
    const about = { name: 'plain', version: '1.0.0', type: 'module', mortise: { plugin: 'plugin.js', name: 'plain' } };
    const code = (word) => `import { definePlugin } from '@mortise/plugin-sdk';
      export default definePlugin({ name: 'plain', version: '1.0.0', sdk: '^1.0.0', register: (host) => host.routes({}, () => [
        { method: 'GET', path: '/api/v1/plain', access: { actor: 'anyone' }, handler: () => '${word}' },
      ]) });`;
    mkdirSync(plain);
    writeFileSync(join(plain, 'package.json'), JSON.stringify(about));
    writeFileSync(join(plain, 'plugin.js'), code('before'));
    const env = {
      ...process.env,
      MORTISE_WORK_DIR: join(folder, 'plain-work'),
      MORTISE__server__SSH_PORT: '0',
      // the others would be started with it each time
      MORTISE__plugins__ENABLED: 'plain',
    };
    const own = spawn(process.execPath, [program, 'dev', plain, '--port', String(port)], { env, stdio: 'ignore' });
    const gone = new Promise((resolve) => own.once('exit', resolve));
    const said = () =>
      fetch(`http://127.0.0.1:${port}/api/v1/plain`).then(
        (answer) => answer.text(),
        () => '',
      );
    try {
      await until(async () => (await said()).includes('before'));
      writeFileSync(join(plain, 'plugin.js'), code('after'));
      await until(async () => (await said()).includes('after'));
    } finally {
      own.kill('SIGTERM');
      await gone;
    }
  });
});
