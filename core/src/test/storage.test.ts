import { randomBytes, createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { Joi, type StorageArea } from '@mortise/plugin-sdk';
import type { ManagedStorage } from '../contracts.js';
import { SettingsRegistry } from '../settings/index.js';
import { createStorage, declareStorage, storageSettings, type StorageSettings } from '../storage/index.js';
import { recordingLog } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const s3 = process.env.MORTISE_TEST_S3;
const kinds: { name: string; settings: Partial<StorageSettings> }[] = [{ name: 'disk', settings: {} }];
if (s3) {
  kinds.push({
    name: 'S3',
    settings: {
      STORAGE_TYPE: 'minio',
      MINIO_ENDPOINT: new URL(s3).host,
      MINIO_ACCESS_KEY_ID: 'test',
      MINIO_SECRET_ACCESS_KEY: 'test-secret',
      MINIO_BUCKET: `mortise-${randomBytes(5).toString('hex')}`,
      MINIO_BASE_PATH: 'here/',
      SERVE_DIRECT: true,
    },
  });
}

const readAll = async (stream: Readable) => Buffer.concat(await stream.toArray());
const digest = (name: string, content: Buffer) => createHash(name).update(content).digest('hex');

async function* pieces(content: Buffer, size: number, failAfter = Infinity) {
  for (let at = 0; at < content.length; at += size) {
    if (at >= failAfter) throw new Error('the client went away');
    yield content.subarray(at, at + size);
  }
}

for (const kind of kinds) {
  describe(`storage on ${kind.name}`, () => {
    let folder: string;
    let managed: ManagedStorage;
    let area: StorageArea;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mortise-storage-'));
      managed = createStorage({
        plan: { common: storageSettings.validate(kind.settings).value, areas: new Map() },
        workDir: folder,
        log: recordingLog(),
      });
      area = managed.area('packages');
    });
    after(async () => {
      // The S3 client leaves this global behind.
      delete (globalThis as { awslambda?: unknown }).awslambda;
      await rm(folder, { recursive: true, force: true });
    });
    const keys = async (prefix?: string) => {
      const found: string[] = [];
      for await (const { key } of area.list(prefix)) found.push(key);
      return found.sort();
    };

    it('is well', () => managed.check());

    it('stores and gives back content with its digests', async () => {
      const content = Buffer.from('twelve bytes');
      const stored = await area.put('a/b.txt', content);
      expect(stored).to.include({
        key: 'a/b.txt',
        size: 12,
        md5: digest('md5', content),
        sha1: digest('sha1', content),
        sha256: digest('sha256', content),
        sha512: digest('sha512', content),
      });
      const { info, stream } = await area.get('a/b.txt');
      expect(info).to.include({ key: 'a/b.txt', size: 12 });
      expect(Math.abs(info.modifiedAt - Date.now())).to.be.below(600_000);
      expect((await readAll(stream)).toString()).to.equal('twelve bytes');
      expect(await area.stat('a/b.txt')).to.include({ size: 12 });
    });

    it('replaces content and keeps empty content', async () => {
      await area.put('again', Buffer.from('first'));
      await area.put('again', Buffer.alloc(0));
      expect((await readAll((await area.get('again')).stream)).length).to.equal(0);
    });

    it('streams large content and gives ranges of it', async () => {
      const content = randomBytes(20 * 1024 * 1024 + 17);
      const stored = await area.put('large', Readable.from(pieces(content, 65_536)));
      expect(stored).to.include({ size: content.length, sha256: digest('sha256', content) });
      expect((await readAll((await area.get('large')).stream)).equals(content)).to.be.true();
      const part = await area.get('large', { start: 9_000_000, end: 9_000_099 });
      expect(part.info.size).to.equal(content.length);
      expect((await readAll(part.stream)).equals(content.subarray(9_000_000, 9_000_100))).to.be.true();
      const end = await area.get('large', { start: content.length - 5 });
      expect((await readAll(end.stream)).equals(content.subarray(-5))).to.be.true();
      const over = await area.get('large', { start: content.length - 5, end: content.length + 100 });
      expect((await readAll(over.stream)).length).to.equal(5);
      const outside = await expect(area.get('large', { start: content.length })).to.reject();
      expect(outside).to.include({ code: 'range_not_satisfiable' });
    });

    it('stores by hash, the same content once', async () => {
      const content = Buffer.from('shared');
      const sha256 = digest('sha256', content);
      const first = await area.putByHash(content);
      const second = await area.putByHash(Readable.from(pieces(content, 2)));
      expect(first.key).to.equal(`${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`);
      expect(second.key).to.equal(first.key);
      expect(await keys(sha256.slice(0, 2))).to.equal([first.key]);
    });

    it('refuses what is too large while it streams, and shows nothing of it', async () => {
      const content = randomBytes(3_000_000);
      const puts = [
        () => area.put('too-large', Readable.from(pieces(content, 65_536)), { maxBytes: 1_000_000 }),
        () => area.putByHash(content, { maxBytes: 10 }),
      ];
      for (const put of puts) {
        const refusal = await expect(put()).to.reject();
        expect(refusal).to.include({ code: 'too_large' });
      }
      expect(await area.stat('too-large')).to.be.undefined();
      expect(await area.put('exact', Buffer.from('1234'), { maxBytes: 4 })).to.include({ size: 4 });
    });

    it('shows nothing of content that broke off', async () => {
      await expect(area.put('broken', Readable.from(pieces(randomBytes(2_000_000), 65_536, 1_000_000)))).to.reject(
        'the client went away',
      );
      expect(await area.stat('broken')).to.be.undefined();
      if (kind.name === 'disk') expect(await readdir(join(folder, 'data/storage/packages/.tmp-uploads'))).to.equal([]);
    });

    it('answers not found, and deletes what is there and what is not', async () => {
      expect(await expect(area.get('nowhere')).to.reject()).to.include({ code: 'not_found' });
      await area.put('x/y/z', Buffer.from('z'));
      await area.delete('x/y/z');
      await area.delete('x/y/z');
      expect(await area.stat('x/y/z')).to.be.undefined();
      expect(await area.stat('x/y')).to.be.undefined();
      if (kind.name === 'disk') expect(await readdir(join(folder, 'data/storage/packages'))).to.not.include('x');
    });

    it('lists by prefix, each area on its own', async () => {
      const names = managed.area('names');
      for (const key of ['one/a', 'one/b', 'one-more', 'two/a']) await names.put(key, Buffer.from(key));
      const found: Record<string, string[]> = {};
      for (const prefix of ['', 'one', 'one/', 'two/a', 'three/']) {
        found[prefix] = [];
        for await (const { key } of names.list(prefix)) found[prefix]!.push(key);
        found[prefix]!.sort();
      }
      expect(found).to.equal({
        '': ['one-more', 'one/a', 'one/b', 'two/a'],
        one: ['one-more', 'one/a', 'one/b'],
        'one/': ['one/a', 'one/b'],
        'two/a': ['two/a'],
        'three/': [],
      });
    });

    it('keeps what is deleted while a back-up runs, and lists it nowhere', async () => {
      let isRunning = true;
      const kept = createStorage({
        plan: { common: storageSettings.validate(kind.settings).value, areas: new Map() },
        workDir: folder,
        log: recordingLog(),
        keepsDeleted: () => Promise.resolve(isRunning),
      });
      const own = kept.area('kept');
      for (const key of ['a/b c+ü', 'other']) await own.put(key, Buffer.from(`content of ${key}`));
      await own.delete('a/b c+ü');
      await own.delete('never there');
      isRunning = false;
      await own.delete('other');
      expect(await own.stat('a/b c+ü')).to.be.undefined();
      const found: string[] = [];
      for await (const { key } of own.list()) found.push(key);
      expect(found).to.equal([]);
      const deleted = kept.deleted('kept');
      for await (const { key } of deleted.list()) found.push(key);
      expect(found).to.equal(['a/b c+ü']);
      expect((await readAll((await deleted.get('a/b c+ü'))!)).toString()).to.equal('content of a/b c+ü');
      expect(await deleted.get('other')).to.be.undefined();
      expect(await kept.areas()).to.include('packages');
      await deleted.clear();
      expect(await deleted.get('a/b c+ü')).to.be.undefined();
    });

    it('refuses keys that leave the area', async () => {
      for (const key of ['', '/etc/passwd', '../x', 'a/../../x', 'a//b', './a', 'a\\b', 'a\0b', '.tmp-uploads/x']) {
        expect(await expect(area.put(key, Buffer.from('x'))).to.reject()).to.include({ code: 'bad_request' });
        expect(await expect(area.get(key)).to.reject()).to.include({ code: 'bad_request' });
      }
      expect(() => managed.area('../up')).to.throw();
    });

    it('signs addresses where the store serves them', async () => {
      await area.put('signed file', Buffer.from('direct'));
      const url = await area.signedUrl('signed file', { seconds: 60, fileName: 'ä b.txt' });
      if (kind.name === 'disk') return expect(url).to.be.undefined();
      const answer = await fetch(url!);
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.equal('direct');
      expect(answer.headers.get('content-disposition')).to.equal("attachment; filename*=UTF-8''%C3%A4%20b.txt");
    });
  });
}

describe('storage: areas with a place of their own', () => {
  it('keeps an area where its section says, and the rest where [storage] says', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-storage-'));
    const settingsRegistry = new SettingsRegistry({
      file: join(folder, 'app.ini'),
      environment: { MORTISE__storage__PATH: 'blobs', MORTISE__storage_0X2E_lfs__PATH: 'large' },
      overrides: { 'storage.packages': { SERVE_DIRECT: true } },
    });
    const plan = declareStorage(settingsRegistry);
    expect(settingsRegistry.problems).to.be.empty();
    settingsRegistry.checkLeftovers();
    expect(settingsRegistry.warnings).to.be.empty();
    expect(plan.areas.get('packages')).to.include({ SERVE_DIRECT: true, PATH: 'blobs/packages' });
    const managed = createStorage({ plan, workDir: folder, log: recordingLog() });
    await managed.check();
    for (const name of ['lfs', 'packages', 'avatars']) await managed.area(name).put('key', Buffer.from(name));
    const at = async (path: string) => (await readdir(join(folder, path))).filter((name) => !name.startsWith('.'));
    expect(await at('large')).to.equal(['key']);
    expect((await at('blobs')).sort()).to.equal(['avatars', 'packages']);
    await rm(folder, { recursive: true, force: true });
  });

  it('takes a section of the name of an area for it, where there is none below [storage]', () => {
    const written = {
      MORTISE__actions_0X2E_artifacts__PATH: 'left',
      MORTISE__actions_0X2E_cache__PATH: 'elsewhere',
      MORTISE__storage_0X2E_actions_cache__PATH: 'cached',
      MORTISE__git__PATH: '/usr/bin/git',
    };
    const settingsRegistry = new SettingsRegistry({ file: '/nowhere/app.ini', environment: written });
    const { areas } = declareStorage(settingsRegistry);
    expect([...areas].map(([area, { PATH }]) => [area, PATH])).to.equal([
      ['actions-cache', 'cached'],
      ['actions-artifacts', 'left'],
    ]);
    // keys of the plugin in the same section are as they were
    const own = settingsRegistry.declare(
      'actions-artifacts',
      'actions.artifacts',
      Joi.object({ MAX_SIZE: Joi.number().default(7) }),
    );
    expect([own as object, settingsRegistry.problems]).to.equal([{ MAX_SIZE: 7 }, []]);
    settingsRegistry.checkLeftovers();
    expect(settingsRegistry.warnings.join()).to.include('actions.cache').and.not.to.include('actions.artifacts');
  });
});
