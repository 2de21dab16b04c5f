import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, reply, storage } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import {
  definePackageRoute,
  packageFormats,
  packageIndexes,
  packageStore,
  signingKeys,
  type PackageFormat,
  type PackageIndexes,
  type PackageStore,
} from '../api.js';
import { BlobRow } from '../models/blob.js';
import { FileRow } from '../models/file.js';
import { IndexMarkRow } from '../models/index-mark.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const builds: string[][] = [];
let isBroken = false;

/** Files under `part/name`; the index of a part lists its files, that of the whole the parts. */
const format = (store: PackageStore, indexes: PackageIndexes): PackageFormat => ({
  key: 'leaf',
  label: 'Leaf',
  root: '/leaves/{owner}',
  routes: [
    definePackageRoute({
      method: 'PUT',
      path: '/{part}/{name}/{version}',
      needs: 'write',
      body: 'buffer',
      handler: async ({ owner, actor, params, body }) => {
        const { part, name, version } = params as { part: string; name: string; version: string };
        const files = [
          { name: `${name}-${version}`, blob: await store.receive('leaf', body, actor), compositeKey: part },
        ];
        await store.publish({ owner, actor, type: 'leaf', name, version, files });
        return reply.empty(201);
      },
    }),
    {
      method: 'GET',
      path: '/{part}/index',
      needs: 'read',
      handler: async (request) => {
        const file = await indexes.find(request.owner.id, 'leaf', request.params.part!, 'index');
        return file ? store.download(file, request) : reply.empty(404);
      },
    },
  ],
  index: {
    partsOf: (files) => files.map((file) => file.compositeKey),
    build: async ({ owner, parts, current }) => {
      builds.push([...parts]);
      if (isBroken) throw new Error('killed');
      const { items } = await store.search({ ownerId: owner.id, type: 'leaf', limit: 1000, offset: 0 });
      const files = [...(await store.files(items.map(({ version }) => version.id))).values()].flat();
      const made: Record<string, { name: string; content: Buffer }[]> = {};
      for (const part of parts) {
        const names = files.filter((file) => file.compositeKey === part).map((file) => file.name);
        made[part] = names.length ? [{ name: 'index', content: Buffer.from(names.sort().join('\n')) }] : [];
      }
      const all = new Set([...current.keys(), ...parts].filter((part) => part !== 'all' && made[part]?.length !== 0));
      made.all = [
        { name: 'index', content: Buffer.from([...all].sort().join('\n')) },
        { name: '.note', content: Buffer.from('kept') },
      ];
      return made;
    },
  },
});

const plugin = definePlugin({
  name: 'package-leaf',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
  register(host) {
    host.contribute(packageFormats, { packageStore, packageIndexes }, (services) =>
      format(services.packageStore, services.packageIndexes),
    );
  },
});

describe('indexes, keys and roots of formats', () => {
  let host: TestHost;
  let ada: KitUser;
  let owner: Account;
  before(async () => {
    host = await startHost({ plugins: [plugin, 'packages', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
    owner = (await host.services.get(accounts).byName('ada'))!;
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT', path: string) =>
    host.inject({
      method,
      url: `/leaves/ada${path}`,
      payload: method === 'PUT' ? 'leaf' : undefined,
      headers: { authorization: ada.authorization },
    });
  const read = async (part: string) => {
    const answer = await send('GET', `/${part}/index`);
    return answer.statusCode === 200 ? answer.payload.split('\n') : [];
  };

  it('are right when the publisher is answered, and each part stands for itself', async () => {
    expect((await send('PUT', '/oak/a/1')).statusCode).to.equal(201);
    expect((await send('PUT', '/ash/b/1')).statusCode).to.equal(201);
    expect(await read('oak')).to.equal(['a-1']);
    expect(await read('all')).to.equal(['ash', 'oak']);
    expect(builds).to.equal([['oak'], ['ash']]);
  });

  it('have all of many changes at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => send('PUT', `/elm/c/${n}`)));
    expect((await read('elm')).length).to.equal(20);
    expect(await host.database.query(IndexMarkRow).resultSize()).to.equal(0);
  });

  it('are told to be newer by a whole second, however soon they change', async () => {
    let last: string | undefined;
    for (let n = 1; n <= 4; n++) {
      await send('PUT', `/yew/d/${n}`);
      const headers = { authorization: ada.authorization, ...(last && { 'if-modified-since': last }) };
      const answer = await host.inject({ url: '/leaves/ada/yew/index', headers });
      expect(answer.statusCode).to.equal(200);
      expect(answer.payload.split('\n').length).to.equal(n);
      last = String(answer.headers['last-modified']);
      headers['if-modified-since'] = last;
      expect((await host.inject({ url: '/leaves/ada/yew/index', headers })).statusCode).to.equal(304);
    }
    const store = host.services.get(packageStore);
    await store.deletePackage((await store.find(owner.id, 'leaf', 'd'))!, { ...systemLike, id: owner.id });
  });

  it('lose a part with its last file', async () => {
    const store = host.services.get(packageStore);
    const package_ = (await store.find(owner.id, 'leaf', 'b'))!;
    const before = await host.services.get(packageIndexes).find(owner.id, 'leaf', 'ash', 'index');
    await store.deletePackage(package_, { ...systemLike, id: owner.id });
    expect(await read('ash')).to.equal([]);
    expect(await read('all')).to.equal(['elm', 'oak']);
    // who began to read finds the old file by its digest
    const old = await host.services.get(packageIndexes).byDigest(owner.id, 'leaf', 'sha256', before!.sha256);
    expect(old?.size).to.equal(before!.size);
    // what the format keeps for itself is no file of the index
    const note = createHash('sha256').update('kept').digest('hex');
    expect(await host.services.get(packageIndexes).find(owner.id, 'leaf', 'all', '.note')).to.not.exist();
    expect(await host.services.get(packageIndexes).byDigest(owner.id, 'leaf', 'sha256', note)).to.not.exist();
  });

  it('leave nothing behind that nobody finds any more', async () => {
    await send('PUT', '/fir/e/1');
    const { sha256 } = (await host.services.get(packageIndexes).find(owner.id, 'leaf', 'fir', 'index'))!;
    await send('PUT', '/fir/e/2');
    const area = host.services.get(storage).area('packages');
    const key = `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
    expect(await area.stat(key)).to.exist();
    const hour = 3_600_000;
    const past = new Date(Date.now() - hour);
    await utimes(join(host.workDir, 'data/storage/packages', key), past, past);
    await host.database.write(async () => {
      const created_at = Number(past);
      await host.database.query(BlobRow).patch({ created_at }).where({ sha256 });
      await host.database
        .query(FileRow)
        .patch({ created_at })
        .where({ composite_key: `~${sha256}` });
    });
    await send('PUT', '/fir/e/3');
    expect(await area.stat(key)).to.not.exist();
    expect(await host.services.get(packageIndexes).byDigest(owner.id, 'leaf', 'sha256', sha256)).to.not.exist();
    const store = host.services.get(packageStore);
    await store.deletePackage((await store.find(owner.id, 'leaf', 'e'))!, { ...systemLike, id: owner.id });
  });

  it('are made by the job when nobody could', async () => {
    isBroken = true;
    expect((await send('PUT', '/oak/a/2')).statusCode).to.equal(201);
    expect(await read('oak')).to.equal(['a-1']);
    isBroken = false;
    await host.jobs.runDue(Date.now() + 60_000);
    expect(await read('oak')).to.equal(['a-1', 'a-2']);
  });

  it('are made by a reader when the note is old', async () => {
    isBroken = true;
    await send('PUT', '/oak/a/3');
    isBroken = false;
    await host.database.write(() => host.database.query(IndexMarkRow).patch({ created_at: Date.now() - 60_000 }));
    expect(await read('oak')).to.equal(['a-1', 'a-2', 'a-3']);
  });

  it('are made before somebody is told that a version is there already', async () => {
    isBroken = true;
    await send('PUT', '/oak/a/4');
    isBroken = false;
    expect((await send('PUT', '/oak/a/4')).statusCode).to.equal(409);
    expect(await read('oak')).to.equal(['a-1', 'a-2', 'a-3', 'a-4']);
  });

  it('are listed nowhere and count for no limit', async () => {
    const { items } = await host.services.get(packageStore).search({ ownerId: owner.id, limit: 50, offset: 0 });
    expect(items.some(({ package: { name } }) => name.startsWith('_'))).to.be.false();
  });

  it('keys stay the same, are sealed, and sign what their public half verifies', async () => {
    const keys = host.services.get(signingKeys);
    const [one, two] = await Promise.all([keys.openPgp(owner, 'leaf'), keys.openPgp(owner, 'leaf')]);
    expect(one.publicKey).to.equal(two.publicKey);
    const { readKey, readCleartextMessage, verify } = await import('openpgp');
    const message = await readCleartextMessage({ cleartextMessage: await one.signClear('Origin: here\n') });
    const verificationKeys = await readKey({ armoredKey: one.publicKey });
    const { signatures } = await verify({ message, verificationKeys });
    expect(await signatures[0]!.verified).to.be.true();
    const rows = JSON.stringify(await host.database.knex()('package_signing_key').select());
    expect(rows).not.to.contain('PRIVATE');
    const { createVerify } = await import('node:crypto');
    const rsa = await keys.rsa(owner, 'leaf');
    const signature = await rsa.sign(Buffer.from('text'), 'sha1');
    expect(createVerify('sha1').update('text').verify(rsa.publicKey, signature)).to.be.true();
  });

  it('keys have the runtime sign short streams, and sign long ones as they come', async () => {
    const key = await host.services.get(signingKeys).openPgp(owner, 'leaf');
    const { createMessage, readKey, readSignature, verify } = await import('openpgp');
    const { subtle } = globalThis.crypto;
    const own = Object.getPrototypeOf(subtle) as { sign: typeof subtle.sign };
    const { sign } = own;
    let count = 0;
    own.sign = function (this: typeof subtle, ...given: Parameters<typeof sign>) {
      count++;
      return sign.apply(this, given);
    } as typeof sign;
    try {
      for (const [bytes, native] of [
        [0, 1],
        [70_000, 1],
        [3_000_000, 0],
      ] as const) {
        count = 0;
        const content = Buffer.alloc(bytes, 'leaf ');
        const pieces = Array.from({ length: Math.ceil(bytes / 65_536) }, (_, n) =>
          content.subarray(n * 65_536, (n + 1) * 65_536),
        );
        const binarySignature = await key.sign(Readable.from(pieces), 'binary');
        expect(count, `of ${bytes} bytes`).to.equal(native);
        const { signatures } = await verify({
          message: await createMessage({ binary: new Uint8Array(content) }),
          signature: await readSignature({ binarySignature: new Uint8Array(binarySignature) }),
          verificationKeys: await readKey({ armoredKey: key.publicKey }),
        });
        expect(await signatures[0]!.verified).to.be.true();
      }
    } finally {
      own.sign = sign;
    }
  });

  it('routes are told to the kernel one by one', async () => {
    const document = JSON.parse((await host.inject('/protocols.v1.json')).payload) as { paths: Record<string, object> };
    expect(Object.keys(document.paths)).to.include([
      '/leaves/{owner}/{part}/{name}/{version}',
      '/leaves/{owner}/{part}/index',
    ]);
    expect((await host.inject('/api/packages/ada/leaf/oak/index')).statusCode).to.equal(404);
  });
});

const systemLike = {
  kind: 'user',
  name: 'ada',
  isAdmin: false,
  isRestricted: false,
  method: 'basic',
  publicOnly: false,
} as const;
