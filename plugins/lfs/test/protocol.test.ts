import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accounts, publicKeys } from '@mortise/accounts/api';
import { contentOf, LfsBench, lfsType, publicKey, type Content } from './kit.js';
import { BatchService, readBatch } from '../services/batch-service.js';
import { LfsTokens, type LfsGrant } from '../services/lfs-tokens.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the LFS protocol', () => {
  let bench: LfsBench;
  let held: Content;
  const fresh = contentOf('not there yet');

  before(async () => {
    bench = await LfsBench.start({
      plugins: ['lfs', 'auth-basic', 'auth-token', 'git-http', 'refs', 'files'],
      settings: {
        server: { LFS_JWT_SECRET: 'a secret of the test', LFS_MAX_BATCH_SIZE: 1500, LFS_MAX_FILE_SIZE: 1_000_000 },
      },
    });
    await bench.repository('open');
    await bench.repository('shut', { isPrivate: true });
    held = contentOf('some large file');
    for (const name of ['open', 'shut'])
      expect((await bench.put(name, held, held.bytes, bench.users.ada)).statusCode).to.equal(200);
  });
  after(() => bench.host.close());

  it('serves what was uploaded, whole and in parts, as nothing that a browser runs', async () => {
    const all = await bench.get('open', held.oid);
    expect(all.statusCode).to.equal(200);
    expect(all.rawPayload).to.equal(held.bytes);
    expect(all.headers).to.include({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-length': String(held.size),
      'accept-ranges': 'bytes',
    });
    expect(all.headers['content-security-policy']).to.contain('sandbox');
    const ask = (range: string, more = {}) => bench.get('open', held.oid, { range, ...more });
    const part = await ask('bytes=5-9');
    expect([part.statusCode, part.payload, part.headers['content-range']]).to.equal([
      206,
      'large',
      `bytes 5-9/${held.size}`,
    ]);
    expect((await ask('bytes=-4')).payload).to.equal('file');
    expect((await ask('bytes=11-')).payload).to.equal('file');
    expect((await ask('bytes=11-999')).payload).to.equal('file');
    expect((await ask('bytes=5-9', { 'if-range': '"other"' })).statusCode).to.equal(200);
    expect((await ask('bytes=99-')).statusCode).to.equal(416);
    expect((await ask('lines=1-2')).statusCode).to.equal(200);
    expect((await bench.get('open', held.oid, { 'if-none-match': `"${held.oid}"` })).statusCode).to.equal(304);
    expect((await bench.get('open', `${held.oid}/a.bin`)).statusCode).to.equal(200);
    for (const odd of ['..%2f..%2fetc%2fpasswd', 'abc', held.oid.toUpperCase()])
      expect((await bench.get('open', odd)).statusCode, odd).to.equal(422);
    expect((await bench.get('open', fresh.oid)).statusCode).to.equal(404);
  });

  it('sends content as it is, whatever the client could unpack', async () => {
    const large = contentOf('the same again '.repeat(1000));
    expect((await bench.put('open', large, large.bytes, bench.users.ada)).statusCode).to.equal(200);
    for (const encoding of ['gzip', 'br', 'gzip, deflate, br']) {
      const all = await bench.get('open', large.oid, { 'accept-encoding': encoding });
      expect(all.headers).to.include({ 'content-length': String(large.size), etag: `"${large.oid}"` });
      expect([all.headers['content-encoding'], all.rawPayload.equals(large.bytes)]).to.equal([undefined, true]);
    }
  });

  it('refuses content that is not what its address says', async () => {
    const { ada } = bench.users;
    const wrong: [string, { oid: string; size: number | string }, Buffer, number][] = [
      ['longer', fresh, Buffer.concat([fresh.bytes, fresh.bytes]), 422],
      ['shorter', fresh, fresh.bytes.subarray(1), 422],
      ['other bytes', fresh, Buffer.alloc(fresh.size), 422],
      ['nothing', fresh, Buffer.alloc(0), 422],
      ['an id that is none', { oid: 'z'.repeat(64), size: fresh.size }, fresh.bytes, 422],
      ['an id with dots', { oid: '..%2f..%2fetc', size: fresh.size }, fresh.bytes, 422],
      ['a negative size', { oid: fresh.oid, size: -1 }, fresh.bytes, 422],
      ['a size that is no number', { oid: fresh.oid, size: '1e1' }, fresh.bytes, 422],
      ['a huge size', { oid: fresh.oid, size: '9'.repeat(30) }, fresh.bytes, 422],
      ['more than is allowed', { oid: fresh.oid, size: 2_000_000 }, fresh.bytes, 422],
      ['another size of what is there', { oid: held.oid, size: held.size + 1 }, Buffer.alloc(held.size + 1), 422],
    ];
    for (const [what, address, bytes, status] of wrong) {
      const answer = await bench.put('open', address, bytes, ada);
      expect(answer.statusCode, what).to.equal(status);
      expect(answer.headers['content-type'], what).to.equal(lfsType);
      expect(answer.json.message, what).to.be.a.string();
    }
    expect((await bench.get('open', fresh.oid)).statusCode).to.equal(404);
    expect((await bench.get('open', held.oid)).rawPayload).to.equal(held.bytes);
    const nothing = contentOf('');
    expect((await bench.put('open', nothing, nothing.bytes, ada)).statusCode).to.equal(200);
    expect((await bench.get('open', nothing.oid)).payload).to.equal('');
  });

  it('gives an object only to who has sent its content, wherever else it is', async () => {
    const { ada } = bench.users;
    await bench.repository('other');
    const offer = await bench.batch('other', 'upload', [held], ada);
    expect(Object.keys(offer.json.objects[0].actions)).to.equal(['upload', 'verify']);
    const verify = { as: ada, body: { oid: held.oid, size: held.size } };
    expect((await bench.ask('POST', 'other.git/info/lfs/verify', verify)).statusCode).to.equal(404);
    expect((await bench.put('other', held, Buffer.alloc(held.size), ada)).statusCode).to.equal(422);
    expect((await bench.get('other', held.oid)).statusCode).to.equal(404);
    expect((await bench.put('other', held, held.bytes, ada)).statusCode).to.equal(200);
    expect((await bench.ask('POST', 'other.git/info/lfs/verify', verify)).statusCode).to.equal(200);
    expect(
      (await bench.ask('POST', 'other.git/info/lfs/verify', { as: ada, body: { oid: held.oid, size: 1 } })).statusCode,
    ).to.equal(422);
    expect((await bench.get('other', held.oid)).rawPayload).to.equal(held.bytes);
  });

  it('answers odd batches with clear refusals', async () => {
    const { ada } = bench.users;
    const path = 'open.git/info/lfs/objects/batch';
    const odd: [unknown, number][] = [
      ['no json', 400],
      ['[]', 400],
      ['null', 400],
      [{ operation: 'destroy', objects: [] }, 400],
      [{ operation: 'upload' }, 422],
      [{ operation: 'upload', objects: 'all' }, 422],
      [{ operation: 'upload', objects: [], hash_algo: 'sha512' }, 409],
      [{ operation: 'download', objects: Array.from({ length: 1501 }, () => held) }, 413],
    ];
    for (const [body, status] of odd) {
      const answer = await bench.ask('POST', path, { as: ada, body });
      expect([answer.statusCode, answer.headers['content-type']], JSON.stringify(body).slice(0, 60)).to.equal([
        status,
        lfsType,
      ]);
    }
    const { json } = await bench.batch(
      'open',
      'upload',
      [null, 7, 'x', {}, { oid: [], size: {} }, { oid: held.oid, size: 1.5 }, { oid: held.oid, size: 1e300 }],
      ada,
    );
    expect(json.objects.map((one: { error?: { code: number } }) => one.error?.code)).to.equal(Array(7).fill(422));
    const large = await bench.batch('open', 'upload', [{ oid: fresh.oid, size: 2_000_000 }], ada);
    expect(large.json.objects[0].error.code).to.equal(422);
  });

  it('S9: gives no answer that is many times as long as its question', async () => {
    const many = readBatch({ operation: 'download', objects: Array(5000).fill(0) }, 0);
    expect(many.objects).to.have.length(5000);
    for (const wanted of [0, 6000, 100_000])
      expect(() => readBatch({ operation: 'download', objects: Array(5001).fill(0) }, wanted)).to.throw(/At most 5000/);
    const login = bench.login(bench.users.ada).replace('Basic ', `Basic ${' '.repeat(50_000)}`);
    const answer = await bench.ask('POST', 'open.git/info/lfs/objects/batch', {
      body: { operation: 'upload', objects: Array(1500).fill(fresh) },
      headers: { authorization: login },
    });
    expect([answer.statusCode, /header is too long/.test(answer.json.message)]).to.equal([413, true]);
  });

  it('S9: looks once for an object that is asked for many times', async () => {
    const { ada } = bench.users;
    const looked: number[] = [];
    const objects = {
      find: async (_id: number, oids: readonly string[]) => {
        looked.push(oids.length);
        return new Map([[held.oid, held.size]]);
      },
      touch: async (_id: number, oids: readonly string[]) => void looked.push(oids.length),
      signedUrl: async () => void looked.push(1),
    };
    const batches = new BatchService(objects as unknown as ConstructorParameters<typeof BatchService>[0], 0);
    const target = { repositoryId: 1, base: 'http://x', actor: bench.actor(ada) };
    for (const operation of ['download', 'upload'] as const) {
      const answers = await batches.answer(target, { operation, objects: Array(5000).fill({ ...held }) });
      expect([answers.length, new Set(answers).size]).to.equal([5000, 1]);
    }
    expect(looked).to.equal([1, 1, 1, 1]);
  });

  it('answers 422 to ids that are none', async () => {
    for (const oid of ['abc', 'z'.repeat(64), held.oid.toUpperCase(), `sha256:${held.oid}`])
      expect((await bench.get('open', oid)).statusCode, oid).to.equal(422);
    expect((await bench.get('open', fresh.oid)).statusCode).to.equal(404);
  });

  it('answers a thousand objects at once', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => contentOf(`object ${n}`)).map(({ oid, size }) => ({
      oid,
      size,
    }));
    const { json } = await bench.batch('open', 'upload', [...many, held], bench.users.ada);
    expect(json.objects).to.have.length(1001);
    expect(
      String(json.objects[999].actions.upload.href).endsWith(
        `/ada/open.git/info/lfs/objects/${many[999]!.oid}/${many[999]!.size}`,
      ),
    ).to.be.true();
    expect(json.objects[1000].actions).to.be.undefined();
  });

  it('keeps private repositories from strangers, without telling that they are there', async () => {
    const { ada, ben } = bench.users;
    for (const name of ['shut', 'nothing'])
      for (const as of [undefined, ben]) {
        const answer = await bench.batch(name, 'download', [held], as);
        expect([answer.statusCode, answer.headers['www-authenticate']]).to.equal([401, 'Basic realm="Git LFS"']);
        expect((await bench.get(name, held.oid, {}, as)).statusCode).to.equal(401);
        expect((await bench.put(name, held, held.bytes, as)).statusCode).to.equal(401);
      }
    expect((await bench.batch('nothing', 'download', [held], ada)).statusCode).to.equal(404);
    expect((await bench.batch('shut', 'download', [held], ada)).statusCode).to.equal(200);
    expect((await bench.put('open', fresh, fresh.bytes, ben)).statusCode).to.equal(401);
  });

  it('takes nothing into archived repositories', async () => {
    const { ada } = bench.users;
    await bench.repository('old');
    await bench.put('old', held, held.bytes, ada);
    const archive = { method: 'PATCH', url: '/api/v1/repos/ada/old', payload: { archived: true } } as const;
    expect((await bench.host.as(bench.actor(ada)).inject(archive)).statusCode).to.equal(200);
    expect((await bench.put('old', fresh, fresh.bytes, ada)).statusCode).to.equal(403);
    expect((await bench.batch('old', 'upload', [fresh], ada)).statusCode).to.equal(403);
    expect((await bench.ask('POST', 'old.git/info/lfs/locks', { as: ada, body: { path: 'x' } })).statusCode).to.equal(
      403,
    );
    expect((await bench.batch('old', 'download', [held])).json.objects[0].actions.download.href).to.be.a.string();
  });

  it('is found under the old name after a rename', async () => {
    const { ada } = bench.users;
    await bench.repository('before');
    await bench.put('before', held, held.bytes, ada);
    const rename = { method: 'PATCH', url: '/api/v1/repos/ada/before', payload: { name: 'after' } } as const;
    expect((await bench.host.as(bench.actor(ada)).inject(rename)).statusCode).to.equal(200);
    const { json } = await bench.batch('before', 'download', [held]);
    expect(json.objects[0].actions.download.href).to.contain('/ada/after.git/');
  });

  it('accepts tokens for one repository, one operation and a while', async () => {
    const { ada } = bench.users;
    const tokens = new LfsTokens('a secret of the test');
    const open = await bench.repository('tokens', { isPrivate: true });
    const adas = await bench.host.services
      .get(publicKeys)
      .add(ada.id, { title: 'laptop', key: publicKey(), readOnly: false });
    const machine = await bench.deployKey('tokens', publicKey(), true);
    const bearer = (more: Partial<LfsGrant>) => ({
      authorization: `Bearer ${tokens.issue({ repositoryId: open.id, operation: 'download', userId: ada.id, fingerprint: adas.fingerprint, expiresAt: Date.now() + 60_000, ...more })}`,
    });
    const ask = (name: string, operation: string, headers: Record<string, string>) =>
      bench.ask('POST', `${name}.git/info/lfs/objects/batch`, { body: { operation, objects: [fresh] }, headers });
    expect((await ask('tokens', 'download', bearer({}))).statusCode).to.equal(200);
    expect((await ask('tokens', 'upload', bearer({}))).statusCode).to.equal(401);
    const upload = await ask('tokens', 'upload', bearer({ operation: 'upload' }));
    const { actions } = upload.json.objects[0];
    expect(actions.upload.header.Authorization).to.match(/^Bearer /);
    expect(Number(actions.upload.expires_in)).to.be.between(1, 61);
    expect((await ask('shut', 'download', bearer({}))).statusCode).to.equal(401);
    expect((await ask('tokens', 'download', bearer({ expiresAt: Date.now() - 1 }))).statusCode).to.equal(401);
    expect((await ask('tokens', 'download', { authorization: 'Bearer nonsense' })).statusCode).to.equal(401);
    const deployKey = { id: machine.id, title: 'machine', readOnly: true };
    const byMachine = { userId: 0, deployKey, fingerprint: machine.fingerprint };
    expect((await ask('tokens', 'download', bearer(byMachine))).statusCode).to.equal(200);
    expect((await ask('tokens', 'upload', bearer({ ...byMachine, operation: 'upload' }))).statusCode).to.equal(401);
    const elsewhere = await bench.host.inject({ url: '/api/v1/user', headers: bearer({}) });
    expect(elsewhere.statusCode).to.equal(401);
    // other addresses in which these words stand by chance
    for (const path of [
      'raw/branch/main/info/lfs/a.txt',
      'archive/info/lfs/main.zip',
      'info/lfs/../../raw/branch/main/a',
    ]) {
      const answer = await bench.host.inject({ url: `/ada/shut/${path}`, headers: bearer({}) });
      expect([path, answer.statusCode]).to.equal([path, 401]);
    }
    await bench.host.services.get(accounts).update(ada.id, { prohibitLogin: true });
    expect((await ask('tokens', 'download', bearer({}))).statusCode).to.equal(401);
    await bench.host.services.get(accounts).update(ada.id, { prohibitLogin: false });
    // a key that is taken away takes its tokens with it
    expect((await ask('tokens', 'download', bearer({}))).statusCode).to.equal(200);
    await bench.host.services.get(publicKeys).remove(adas.id);
    expect((await ask('tokens', 'download', bearer({}))).statusCode).to.equal(401);
    const url = `/api/v1/repos/ada/tokens/keys/${machine.id}`;
    expect((await bench.host.as(bench.actor(ada)).inject({ method: 'DELETE', url })).statusCode).to.equal(204);
    expect((await ask('tokens', 'download', bearer(byMachine))).statusCode).to.equal(401);
  });
});

describe('LFS that is switched off', () => {
  it('is not there', async () => {
    const bench = await LfsBench.start({ settings: { server: { LFS_START_SERVER: false } } });
    try {
      await bench.repository('open');
      expect((await bench.batch('open', 'download', [])).statusCode).to.equal(404);
      const { json } = await bench.host.inject('/api/v1/settings/repository');
      expect(json.lfs_disabled).to.be.true();
    } finally {
      await bench.host.close();
    }
  });
});
