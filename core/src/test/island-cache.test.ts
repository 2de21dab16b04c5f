import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { Assets } from '../web/assets.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('bundles of islands', () => {
  let folder: string;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  /** As after a start: nothing is in memory, the folder of bundles is there. */
  const made = async () => {
    const islands = [{ owner: 'shop', name: 'shop', source: pathToFileURL(join(folder, 'shop.jsx')) }];
    const asset = await new Assets(islands, join(folder, 'cache'), true, '1.0.0').island('shop');
    return readFileSync(asset!.file, 'utf8');
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-islands-'));
    write(
      'shop.jsx',
      `import { sign } from './sign.js'; import { render } from 'preact'; render(<b>{sign}</b>, document.body);`,
    );
    write('sign.js', `export { word as sign } from './word.js';`);
    write('word.js', `export const word = 'open';`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are found by plugins from outside with the preact of the host', async () => {
    expect(await made())
      .to.contain('open')
      .and.contain('vnode');
  });

  it('are made again when any module in them has changed, also one that is imported by another', async () => {
    write('word.js', `export const word = 'shut';`);
    expect(await made())
      .to.contain('shut')
      .and.not.contain('open');
    write('sign.js', `export const sign = 'gone';`);
    expect(await made())
      .to.contain('gone')
      .and.not.contain('shut');
  });

  it('are handed on to the next host of the process, on another folder, while nothing changes', async () => {
    const next = async (at: string, isProduction: boolean) => {
      const islands = [{ owner: 'shop', name: 'shop', source: pathToFileURL(join(folder, 'shop.jsx')) }];
      const asset = await new Assets(islands, join(folder, at), isProduction, '1.0.0').island('shop');
      return readFileSync(asset!.file, 'utf8');
    };
    const before = await made();
    for (const isProduction of [true, false]) {
      expect(await next(`next-${isProduction}`, isProduction)).to.equal(before);
      write('sign.js', `export const sign = 'changed ${isProduction}';`);
      expect(await next(`then-${isProduction}`, isProduction)).to.contain(`changed ${isProduction}`);
      write('sign.js', `export const sign = 'gone';`);
      expect(await next(`last-${isProduction}`, isProduction)).to.equal(before);
    }
  });

  it('are served from memory where their folder cannot be written, and made once where it was emptied', async () => {
    write('full', 'a file where the folder would be');
    const islands = [{ owner: 'shop', name: 'shop', source: pathToFileURL(join(folder, 'shop.jsx')) }];
    const full = new Assets(islands, join(folder, 'full'), true, '1.0.0');
    const { hash, name, body } = (await full.island('shop'))!;
    expect(body!.toString()).to.equal(await made());
    expect((await full.findOrMake(hash, name))?.body).to.equal(body);

    const cache = join(folder, 'emptied');
    const assets = new Assets(islands, cache, true, '1.0.0');
    const asset = (await assets.island('shop'))!;
    rmSync(cache, { recursive: true });
    const again = await Promise.all(Array.from({ length: 30 }, () => assets.findOrMake(asset.hash, asset.name)));
    expect(new Set(again).size).to.equal(1);
    expect(readFileSync(again[0]!.file, 'utf8')).to.equal(body!.toString());
  });

  it('lie beside their compressed variants in production, so that no request compresses them', async () => {
    const islands = [{ owner: 'shop', name: 'shop', source: pathToFileURL(join(folder, 'shop.jsx')) }];
    const { file } = (await new Assets(islands, join(folder, 'packed'), true, '1.0.0').island('shop'))!;
    const text = readFileSync(file, 'utf8');
    expect(gunzipSync(readFileSync(`${file}.gz`)).toString()).to.equal(text);
    expect(brotliDecompressSync(readFileSync(`${file}.br`)).toString()).to.equal(text);
  });

  it('are kept while nothing changes', async () => {
    const before = await made();
    const cache = join(folder, 'cache');
    const [list] = readdirSync(cache).filter((name) => name.endsWith('.inputs.json'));
    const kept = JSON.parse(readFileSync(join(cache, list!), 'utf8')) as { text: string };
    writeFileSync(join(cache, list!), JSON.stringify({ ...kept, text: `${kept.text}/* kept */` }));
    expect(await made()).to.equal(`${before}/* kept */`);
  });

  it('and so is the style sheet, which is not even put together', async () => {
    const cache = join(folder, 'sheets');
    const sheet = async () => readFileSync((await new Assets([], cache, true, '1.0.0').stylesheet()).file, 'utf8');
    const before = await sheet();
    expect(before).to.contain('.Box');
    const [list] = readdirSync(cache).filter((name) => name.endsWith('.inputs.json'));
    const kept = JSON.parse(readFileSync(join(cache, list!), 'utf8')) as { inputs: [string, string][]; text: string };
    writeFileSync(join(cache, list!), JSON.stringify({ ...kept, text: 'kept' }));
    expect(await sheet()).to.equal('kept');
    const [[path], ...others] = kept.inputs as [[string, string], ...[string, string][]];
    writeFileSync(join(cache, list!), JSON.stringify({ inputs: [[path, 'other'], ...others], text: 'kept' }));
    expect(await sheet()).to.equal(before);
  });
});
