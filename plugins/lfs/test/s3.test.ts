import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { contentOf, LfsBench } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const s3 = process.env.MORTISE_TEST_S3;
if (!s3) console.log('skipped: the tests with an S3-compatible store need MORTISE_TEST_S3');

describe('LFS on an S3-compatible store', { timeout: 120_000, skip: !s3 }, () => {
  let bench: LfsBench;
  let direct: LfsBench;
  const start = (SERVE_DIRECT: boolean) =>
    LfsBench.start({
      settings: {
        storage: {
          STORAGE_TYPE: 'minio',
          MINIO_ENDPOINT: new URL(s3!).host,
          MINIO_ACCESS_KEY_ID: 'test',
          MINIO_SECRET_ACCESS_KEY: 'test-secret',
          MINIO_BUCKET: `mortise-${randomBytes(5).toString('hex')}`,
          SERVE_DIRECT,
        },
      },
    });
  const content = contentOf(randomBytes(12_000_000));

  before(async () => {
    bench = await start(false);
    direct = await start(true);
  });
  after(async () => {
    await bench.host.close();
    await direct.host.close();
  });

  it('takes in and gives out, whole and in parts', async () => {
    await bench.repository('files');
    const { ada } = bench.users;
    expect((await bench.put('files', content, Buffer.alloc(content.size), ada)).statusCode).to.equal(422);
    expect((await bench.get('files', content.oid)).statusCode).to.equal(404);
    expect((await bench.put('files', content, content.bytes, ada)).statusCode).to.equal(200);
    expect((await bench.get('files', content.oid)).rawPayload.equals(content.bytes)).to.be.true();
    const part = await bench.get('files', content.oid, { range: 'bytes=100-199' });
    expect([part.statusCode, part.rawPayload.equals(content.bytes.subarray(100, 200))]).to.equal([206, true]);
  });

  it('sends clients to the store where that may serve', async () => {
    await direct.repository('files');
    expect((await direct.put('files', content, content.bytes, direct.users.ada)).statusCode).to.equal(200);
    const { oid, size } = content;
    const { json } = await direct.batch('files', 'download', [{ oid, size }], direct.users.ada);
    const { href, header } = json.objects[0].actions.download;
    expect(header).to.be.undefined();
    expect(String(href).startsWith(s3!)).to.be.true();
    const answer = await fetch(href);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content.bytes)).to.be.true();
  });
});
