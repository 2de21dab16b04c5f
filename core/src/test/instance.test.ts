import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { leaseMs, Instance, runningInstance } from '../instance/index.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('processes that serve from a work folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-serving-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const notes = () => join(folder, 'tmp', 'serving');
  const files = () => readdirSync(notes()).map((name) => join(notes(), name));

  it('are known from their begin to their end, with what they have loaded', async () => {
    expect(await runningInstance(folder)).to.equal([]);
    const instance = await Instance.begin(folder);
    const [about] = await runningInstance(folder);
    expect([about?.process, about?.packages]).to.equal([process.pid, undefined]);
    await instance!.loaded(['shelf-1.0.0-ab']);
    expect((await runningInstance(folder)).map(({ packages }) => packages)).to.equal([['shelf-1.0.0-ab']]);
    expect(statSync(files()[0]!).mode & 0o077).to.equal(0);
    await instance!.end();
    expect([await runningInstance(folder), files()]).to.equal([[], []]);
  });

  it('are gone once they were killed, and swept by the next', async () => {
    const module = new URL('../instance/index.js', import.meta.url).href;
    const script = `import { Instance } from ${JSON.stringify(module)};
      await Instance.begin(process.argv[1]);
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    expect((await runningInstance(folder)).map((one) => one.process)).to.equal([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await runningInstance(folder)).to.equal([]);
    expect(files()).to.have.length(1);
    await (await Instance.begin(folder))!.end();
    expect(files()).to.equal([]);
  });

  it('of another machine count as long as they renew their file', async () => {
    const instance = await Instance.begin(folder);
    const [file] = files();
    const note = JSON.parse(readFileSync(file!, 'utf8')) as Record<string, unknown>;
    writeFileSync(file!, JSON.stringify({ ...note, machine: 'another', host: 'elsewhere' }));
    expect((await runningInstance(folder)).map(({ host }) => host)).to.equal(['elsewhere']);
    const before = new Date(Date.now() - leaseMs - 1000);
    utimesSync(file!, before, before);
    expect(await runningInstance(folder)).to.equal([]);
    await instance!.end();
  });

  it('are not confused with one that has their number now, nor with a file that cannot be read', async () => {
    const instance = await Instance.begin(folder);
    const [file] = files();
    const note = JSON.parse(readFileSync(file!, 'utf8')) as Record<string, unknown>;
    writeFileSync(file!, JSON.stringify({ ...note, started: '1' }));
    // where the system does not say when a process began, the file decides
    expect(await runningInstance(folder)).to.have.length(note.started === undefined ? 1 : 0);
    writeFileSync(file!, '{');
    expect(await runningInstance(folder)).to.equal([]);
    await instance!.end();
  });

  it('say nothing where nothing can be written', async () => {
    writeFileSync(join(folder, 'tmp'), 'a file');
    expect(await Instance.begin(folder)).to.be.undefined();
    expect(await runningInstance(folder)).to.equal([]);
  });
});
