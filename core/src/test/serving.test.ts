import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { leaseMs, Serving, servingFrom } from '../serving/index.js';

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
    expect(await servingFrom(folder)).to.equal([]);
    const serving = await Serving.begin(folder);
    const [about] = await servingFrom(folder);
    expect([about?.process, about?.packages]).to.equal([process.pid, undefined]);
    await serving!.loaded(['shelf-1.0.0-ab']);
    expect((await servingFrom(folder)).map(({ packages }) => packages)).to.equal([['shelf-1.0.0-ab']]);
    expect(statSync(files()[0]!).mode & 0o077).to.equal(0);
    await serving!.end();
    expect([await servingFrom(folder), files()]).to.equal([[], []]);
  });

  it('are gone once they were killed, and swept by the next', async () => {
    const module = new URL('../serving/index.js', import.meta.url).href;
    const script = `import { Serving } from ${JSON.stringify(module)};
      await Serving.begin(process.argv[1]);
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    expect((await servingFrom(folder)).map((one) => one.process)).to.equal([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await servingFrom(folder)).to.equal([]);
    expect(files()).to.have.length(1);
    await (await Serving.begin(folder))!.end();
    expect(files()).to.equal([]);
  });

  it('of another machine count as long as they renew their file', async () => {
    const serving = await Serving.begin(folder);
    const [file] = files();
    const note = JSON.parse(readFileSync(file!, 'utf8')) as Record<string, unknown>;
    writeFileSync(file!, JSON.stringify({ ...note, machine: 'another', host: 'elsewhere' }));
    expect((await servingFrom(folder)).map(({ host }) => host)).to.equal(['elsewhere']);
    const before = new Date(Date.now() - leaseMs - 1000);
    utimesSync(file!, before, before);
    expect(await servingFrom(folder)).to.equal([]);
    await serving!.end();
  });

  it('are not confused with one that has their number now, nor with a file that cannot be read', async () => {
    const serving = await Serving.begin(folder);
    const [file] = files();
    const note = JSON.parse(readFileSync(file!, 'utf8')) as Record<string, unknown>;
    writeFileSync(file!, JSON.stringify({ ...note, started: '1' }));
    // where the system does not say when a process began, the file decides
    expect(await servingFrom(folder)).to.have.length(note.started === undefined ? 1 : 0);
    writeFileSync(file!, '{');
    expect(await servingFrom(folder)).to.equal([]);
    await serving!.end();
  });

  it('say nothing where nothing can be written', async () => {
    writeFileSync(join(folder, 'tmp'), 'a file');
    expect(await Serving.begin(folder)).to.be.undefined();
    expect(await servingFrom(folder)).to.equal([]);
  });
});
