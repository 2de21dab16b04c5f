// Database: none; a registry of a few lines answers beside the test.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { Composition } from '../compose.js';
import { NpmPluginCatalogue } from '../installed-plugins/catalogue.js';
import { PluginStore } from '../installed-plugins/store.js';
import { createOutbound } from '../outbound/index.js';
import { discoverPlugins } from '../plugins/discover.js';
import { recordingLog } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('issue 30: the catalogue of plugins', () => {
  const asked: string[] = [];
  /** What the registry answers to an address, by its path without the query. */
  const answers = new Map<string, unknown>();
  const answer = (path: string, response: ServerResponse) => {
    const given = answers.get(path.split('?')[0]!);
    response.statusCode = given === undefined ? 404 : 200;
    response.end(typeof given === 'string' ? given : JSON.stringify(given ?? { error: 'Not found' }));
  };
  const registry = createServer((request, response) => {
    asked.push(request.url!);
    answer(request.url!, response);
  });
  let base = '';
  let folder = '';
  let catalogue: NpmPluginCatalogue;
  const catalogueWith = (plugins: Record<string, string>): NpmPluginCatalogue => {
    const { packages: found } = discoverPlugins({ root: join(folder, 'nothing'), added: join(folder, 'plugins') });
    return new NpmPluginCatalogue({
      composition: {
        found,
        settings: { plugins: { ALLOWED: '', CATALOGUE_URL: base, ...plugins } },
      } as unknown as Composition,
      outbound: createOutbound({ settings: { ALLOWED_HOST_LIST: 'external' }, log: recordingLog() }),
    });
  };

  before(async () => {
    await new Promise<void>((resolve) => {
      registry.listen(0, '127.0.0.1', resolve);
    });
    base = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/npm`;
    folder = await mkdtemp(join(tmpdir(), 'mortise-catalogue-'));
    const store = new PluginStore(join(folder, 'plugins'));
    for (const [name, registryName] of [
      ['shelf', '@acme/mortise-plugin-shelf'],
      ['rack', 'mortise-plugin-rack'],
      ['drawer', undefined],
    ] as const) {
      const prepared = join(folder, `prepared-${name}`);
      await mkdir(prepared);
      const about = { name: registryName ?? `mortise-plugin-${name}`, version: '1.9.0', mortise: { plugin: './p.js' } };
      await writeFile(join(prepared, 'package.json'), JSON.stringify(about));
      await store.activate(name, '1.9.0', prepared, { addedAt: 1, ...(registryName && { registry: registryName }) });
    }
    catalogue = catalogueWith({});
  });
  after(async () => {
    registry.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    asked.length = 0;
    answers.clear();
  });

  const found = (...packages: unknown[]) =>
    answers.set('/npm/-/v1/search', { objects: packages.map((one) => ({ package: one, score: {} })), total: 1 });

  it('asks nobody unless the setting names a registry', async () => {
    const off = catalogueWith({ CATALOGUE_URL: '' });
    expect(off.host).to.be.undefined();
    await expect(off.search('shelf')).to.reject(/CATALOGUE_URL is empty/);
    expect(asked).to.equal([]);
  });

  it('looks for packages with the keyword, and says which are here and may be added', async () => {
    found(
      {
        name: '@acme/mortise-plugin-shelf',
        version: '1.10.0',
        description: 'Shelves',
        publisher: { username: 'acme' },
      },
      { name: 'mortise-plugin-toys', version: '0.1.0', description: null, publisher: null },
    );
    expect(await catalogueWith({ ALLOWED: '@acme/*' }).search(' shelf & co ')).to.equal([
      {
        packageName: '@acme/mortise-plugin-shelf',
        version: '1.10.0',
        description: 'Shelves',
        publisher: 'acme',
        installed: '1.9.0',
        isUpdate: true,
        isAllowed: true,
      },
      {
        packageName: 'mortise-plugin-toys',
        version: '0.1.0',
        description: '',
        publisher: '',
        isUpdate: false,
        isAllowed: false,
      },
    ]);
    const { searchParams } = new URL(asked[0]!, base);
    expect(searchParams.get('text')).to.match(/^keywords:mortise-plugin +shelf & co$/);
  });

  it('takes the texts for what strangers wrote', async () => {
    found(
      { name: '--registry=http://evil.example', version: '1.0.0' },
      { name: 'git+ssh://x/y.git', version: '1.0.0' },
      { name: 'plain', version: 'latest' },
      { name: 'mortise-plugin-long', version: '1.0.0', description: `red\u001b[31m\u202eback\n${'x'.repeat(1000)}` },
    );
    const [one, ...others] = await catalogue.search('');
    expect(others).to.equal([]);
    expect(one!.description).to.startWith('red [31m back x').and.to.have.length(300);
  });

  it('says what went wrong with the registry, and reads no endless answer', async () => {
    await expect(catalogue.search('x')).to.reject(/did not answer as a registry does: status 404/);
    for (const given of ['no json', { objects: 'many' }, 'x'.repeat(3 * 1024 * 1024)]) {
      answers.set('/npm/-/v1/search', given);
      await expect(catalogue.search('x')).to.reject(/did not answer as a registry does/);
    }
  });

  it('knows newer versions of what was added from a registry, also where one of them is gone from there', async () => {
    answers.set('/npm/@acme%2Fmortise-plugin-shelf/latest', {
      name: '@acme/mortise-plugin-shelf',
      version: '2.0.0',
      _npmUser: { name: 'acme' },
      dist: {},
    });
    const updates = await catalogue.updates();
    expect(updates.map((one) => [one.packageName, one.installed, one.version, one.publisher])).to.equal([
      ['@acme/mortise-plugin-shelf', '1.9.0', '2.0.0', 'acme'],
    ]);
    expect(asked.sort()).to.equal(['/npm/@acme%2Fmortise-plugin-shelf/latest', '/npm/mortise-plugin-rack/latest']);
    answers.clear();
    await expect(catalogue.updates()).to.reject(/status 404/);
  });
});
