// Database: SQLite alone, as what is counted are files of the work folder.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { compose, workspaceRoot, type ComposeOptions, type Composition } from '../index.js';
import { enablePlugins } from '../installed-plugins/switches.js';
import { causesOf } from '../plugins/errors.js';
import { StartJournal } from '../plugins/failed-starts.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('issue 30: plugins that ended the last starts are left out', () => {
  let folder: string;
  const entryOf = (name: string) => join(folder, 'outside', name, 'plugin.mjs');
  /** `requires` others; `body` is what it does as it registers. */
  const write = (name: string, { version = '1.0.0', requires = {}, body = '' } = {}) => {
    mkdirSync(join(folder, 'outside', name), { recursive: true });
    writeFileSync(
      join(folder, 'outside', name, 'package.json'),
      JSON.stringify({ name: `mortise-plugin-${name}`, version, type: 'module', mortise: { plugin: './plugin.mjs' } }),
    );
    const definition = JSON.stringify({ name, version, sdk: '^1.0.0', requires });
    writeFileSync(entryOf(name), `export default { ...${definition}, register() { ${body} } };\n`);
  };
  const options = (more: Partial<ComposeOptions> = {}): ComposeOptions => ({
    workDir: folder,
    root: folder,
    environment: {},
    logLevel: 'none',
    ...more,
  });
  /** As `mortise web` does, up to the tables. Gives the names of what runs, or why the start is refused. */
  async function start(more: Partial<ComposeOptions> = {}): Promise<string> {
    const journal = StartJournal.open(folder);
    try {
      const composition = await compose(options({ ...more, journal }));
      journal.started(composition.plugins.map(({ definition }) => definition.name));
      return namesOf(composition);
    } catch (error) {
      journal.refused(causesOf(error));
      return (error as Error).message;
    }
  }
  const namesOf = ({ plugins }: Composition) => plugins.map(({ definition }) => definition.name).join(' ');
  const leftOut = async () => Object.fromEntries((await compose(options({ tolerant: true }))).leftOut);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-failed-'));
    symlinkSync(join(workspaceRoot(), 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'config', 'app.ini'), `[plugins]\nPATHS = ${join(folder, 'outside')}\n`);
    write('steady');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('after two refused starts in a row, with those that require them, until they are enabled', async () => {
    write('shaky', { body: "throw new Error('out of cheese')" });
    write('leans', { requires: { shaky: '^1.0.0' } });
    const refusal = 'the plugin shaky fails while it registers: out of cheese';
    expect(await start()).to.contain(refusal);
    expect(await start()).to.contain(refusal);
    expect(await start()).to.equal('steady');
    const told = await leftOut();
    expect(Object.keys(told).sort()).to.equal(['leans', 'shaky']);
    expect(told.shaky).to.contain(`the plugin shaky ended the last 2 starts (${refusal})`);
    expect(told.shaky).to.contain('mortise plugins enable shaky');
    expect(await enablePlugins(options(), ['shaky'])).to.equal(['shaky']);
    expect(await start()).to.contain(refusal);
    expect(await enablePlugins(options(), ['steady'])).to.equal([]);
  });

  it('not after starts that others ended, nor after one that went well in between', async () => {
    write('shaky', { body: "if (process.env.SHAKY_FAILS) throw new Error('out of cheese')" });
    for (const fails of [true, false, true]) {
      if (fails) process.env.SHAKY_FAILS = '1';
      else delete process.env.SHAKY_FAILS;
      expect(await start()).to.match(fails ? /out of cheese/ : /^shaky steady$/);
    }
    delete process.env.SHAKY_FAILS;
    expect(await start()).to.equal('shaky steady');
    for (let count = 0; count < 3; count++)
      expect(await start({ settings: { plugins: { ENABLED: 'nobody' } } })).to.contain('there is no such plugin');
    expect(await start()).to.equal('shaky steady');
  });

  it('until another version, or another build, lies there', async () => {
    const fails = { body: "throw new Error('out of cheese')" };
    write('shaky', fails);
    await start();
    await start();
    expect(await start()).to.equal('steady');
    const soon = new Date(Date.now() + 5000);
    utimesSync(entryOf('shaky'), soon, soon);
    expect(await start()).to.contain('out of cheese');
    await start();
    expect(await start()).to.equal('steady');
    write('shaky', { ...fails, version: '1.0.1' });
    expect(await start()).to.contain('the plugin shaky');
  });

  it('also when the process ended in the middle, but not when somebody ended it', async () => {
    write('shaky', { body: 'if (process.env.SHAKY_SIGNAL) process.kill(process.pid, process.env.SHAKY_SIGNAL)' });
    const startInProcess = (signal: string) => {
      const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
      const code = `
        import { compose } from ${module('../index.js')};
        import { StartJournal } from ${module('../plugins/failed-starts.js')};
        const journal = StartJournal.open(process.argv[1]);
        process.once('SIGTERM', () => { journal.abandoned(); process.exit(0); });
        await compose({ workDir: process.argv[1], root: process.argv[1], environment: {}, logLevel: 'none', journal });`;
      return spawnSync(process.execPath, ['--input-type=module', '-e', code, folder], {
        env: { ...process.env, SHAKY_SIGNAL: signal },
        cwd: pathToFileURL(workspaceRoot()).pathname,
      }).signal;
    };
    for (let count = 0; count < 3; count++) startInProcess('SIGTERM');
    StartJournal.open(folder);
    expect(await leftOut()).to.equal({});
    for (let count = 0; count < 2; count++) expect(startInProcess('SIGKILL')).to.equal('SIGKILL');
    expect(await start()).to.equal('steady');
    expect((await leftOut()).shaky).to.contain('(the process ended while it registers)');
    expect(readdirSync(join(folder, 'tmp', 'starting'))).to.equal([]);
  });

  it('never those that sign people in, nor with MAX_FAILED_STARTS = 0', async () => {
    const fails = { body: "throw new Error('out of cheese')" };
    write('auth-badge', fails);
    for (let count = 0; count < 3; count++) expect(await start()).to.contain('out of cheese');
    rmSync(join(folder, 'outside', 'auth-badge'), { recursive: true });
    write('shaky', fails);
    const settings = { plugins: { MAX_FAILED_STARTS: 0 } };
    for (let count = 0; count < 4; count++) expect(await start({ settings })).to.contain('out of cheese');
    expect(existsSync(join(folder, 'tmp', 'failed-starts', 'auth-badge.json'))).to.be.false();
  });

  it('--without and --safe leave plugins out of one start, with those that require them', async () => {
    write('leans', { requires: { steady: '^1.0.0' } });
    write('other');
    expect(await start({ without: ['steady'] })).to.equal('other');
    expect(await start({ without: ['st*', 'other'] })).to.equal('');
    expect(await start({ isSafe: true })).to.equal('');
    expect(await start({ without: ['nobody'] })).to.contain('--without names nobody, but there is no such plugin');
    expect(await start()).to.equal('steady leans other');
  });
});
