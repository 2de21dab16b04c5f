import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync, type Gunzip } from 'node:zlib';
import { connect } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { basicAuth, createAccount } from '@mortise/accounts/testing';
import { gitReader } from '@mortise/git/api';
import { createRepository } from '@mortise/repositories/testing';
import { readShort, unpacked } from '../services/body.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('bodies that mean harm', { timeout: 600_000 }, () => {
  let host: TestHost;
  let repositoryId: number;
  let ada: Account;
  const basic = basicAuth('ada');
  before(async () => {
    host = await startHost({ plugins: ['git-http', 'auth-basic'] });
    ada = await createAccount(host, 'ada');
    const made = await createRepository(host, ada, { name: 'one', autoInit: true });
    repositoryId = made.id;
  });
  after(() => host.close());

  const post = async (service: string, payload: Buffer | string, headers: Record<string, string> = {}) =>
    fetch(`${await host.url()}/ada/one.git/git-${service}`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(payload)),
      headers: {
        'content-type': `application/x-git-${service}-request`,
        'git-protocol': 'version=2',
        authorization: basic,
        ...headers,
      },
    });
  const zipped = { 'content-encoding': 'gzip' };

  it('a small body that unpacks to a large one is cut at a megabyte', async () => {
    const bomb = gzipSync(Buffer.alloc(60_000_000, '0'), { level: 9 });
    expect(bomb.length).to.be.below(64 * 1024);
    const answer = await post('upload-pack', bomb, zipped);
    expect([answer.status, (await answer.text()).includes('too large')]).to.equal([400, true]);
    const body = (await unpacked(Readable.from([bomb]), 'gzip')) as Gunzip;
    await expect(readShort(body)).to.reject(/too large/);
    expect(body.bytesWritten).to.be.below(bomb.length / 4);
    expect(host.services.get(gitReader).open(repositoryId).id).to.equal(repositoryId);
  });

  it('archives are made for clients that ask for them over HTTP (git 2.44 and later)', async () => {
    const line = (text: string) => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`;
    const ask = async (...words: string[]) => {
      const answer = await post('upload-archive', `${words.map((word) => line(`argument ${word}`)).join('')}0000`);
      return { answer, body: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
    };
    const { answer, body } = await ask('--format=tar', '--prefix=one/', 'HEAD');
    expect([answer.status, answer.headers.get('content-type'), body.slice(0, 12)]).to.equal([
      200,
      'application/x-git-upload-archive-result',
      '0008ACK\n0000',
    ]);
    expect([body.includes('one/README.md'), body.includes('ustar'), body.endsWith('0000')]).to.equal([
      true,
      true,
      true,
    ]);
    expect((await ask('nothing-of-that-name')).body).to.contain('fatal: ');
    expect((await post('upload-archive', '0000', { 'content-type': 'text/plain' })).status).to.equal(400);
    // a wiki without pages has no folder yet, and nobody is told where it would be
    const wiki = await fetch(`${await host.url()}/ada/one.wiki.git/git-upload-archive`, {
      method: 'POST',
      body: `${line('argument HEAD')}0000`,
      headers: { 'content-type': 'application/x-git-upload-archive-request' },
    });
    expect([wiki.status, await wiki.text()]).to.equal([404, 'repository does not exist\n']);
    await createRepository(host, ada, { name: 'shut', isPrivate: true, autoInit: true });
    const stranger = await fetch(`${await host.url()}/ada/shut.git/git-upload-archive`, {
      method: 'POST',
      body: '0000',
      headers: { 'content-type': 'application/x-git-upload-archive-request' },
    });
    expect([stranger.status, stranger.headers.get('www-authenticate')?.startsWith('Basic')]).to.equal([401, true]);
  });

  it('a request that never ends does not fill the memory of git', async () => {
    const { commit } = (await host.services.get(gitReader).open(repositoryId).resolve('main'))!;
    // no two alike, as they would be cut as a small body that unpacks to a large one
    const haves = (count: number) =>
      Array.from({ length: count }, (_, at) => `0032have ${String(at).padStart(40, '0')}\n`).join('');
    const request = (count: number) => `0011command=fetch0001${`0032want ${commit}\n`}${haves(count)}0009done\n0000`;
    const ask = (count: number) => post('upload-pack', gzipSync(request(count)), zipped);
    const long = await ask(100_000);
    expect([long.status, (await long.text()).includes('PACK')]).to.equal([200, true]);
    const endless = await ask(400_000);
    expect((await endless.text()).includes('PACK')).to.be.false();
  });

  it('what is not compressed, cut off or unknown is told so', async () => {
    const whole = gzipSync('0014command=ls-refs\n0000');
    for (const [body, headers] of [
      ['0014command=ls-refs\n0000', zipped],
      [whole.subarray(0, 10), zipped],
      [Buffer.concat([whole.subarray(0, 20), Buffer.alloc(20)]), zipped],
      [whole, { 'content-encoding': 'br' }],
    ] as const) {
      for (const service of ['upload-pack', 'receive-pack'])
        expect((await post(service, body, headers)).status).to.equal(400);
    }
    const good = await post('upload-pack', whole, zipped);
    expect([good.status, (await good.text()).includes('refs/heads/main')]).to.equal([200, true]);
  });

  it('rubbish is answered in words of git and moves nothing', async () => {
    const before = await host.services.get(gitReader).open(repositoryId).refs();
    for (const body of ['', '0000', '0001', 'zzzz', 'ffff', `00a0${'x'.repeat(300)}`, '\0'.repeat(500)]) {
      for (const service of ['upload-pack', 'receive-pack']) {
        const answer = await post(service, body);
        expect([body, answer.status < 500]).to.equal([body, true]);
        await answer.arrayBuffer();
      }
    }
    expect(await host.services.get(gitReader).open(repositoryId).refs()).to.equal(before);
  });

  it('a push that takes its time is judged by what holds at its end', async () => {
    const git = host.services.get(gitReader).open(repositoryId);
    const { commit } = (await git.resolve('main'))!;
    const command = `${'0'.repeat(40)} ${commit} refs/heads/late\0report-status`;
    const head = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`;
    const pack = Buffer.from('5041434b0000000200000000', 'hex');
    const isUnderWay = async () => (await readdir(join(git.path, 'objects'))).some((name) => name.includes('incoming'));
    const push = async (meanwhile: object) => {
      async function* body() {
        yield Buffer.concat([Buffer.from(head), pack]);
        // git has begun, so the server has let it in: nothing of what comes now can be known to it yet
        for (const until = Date.now() + 100_000; !(await isUnderWay()) && Date.now() < until;)
          await new Promise((resolve) => setTimeout(resolve, 10));
        const payload = { ...meanwhile };
        await host.as({ id: ada.id, name: 'ada' }).inject({ method: 'PATCH', url: '/api/v1/repos/ada/one', payload });
        yield createHash('sha1').update(pack).digest();
      }
      const request: RequestInit & { duplex: 'half' } = {
        method: 'POST',
        headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: basic },
        body: body() as unknown as BodyInit,
        duplex: 'half',
      };
      return (await fetch(`${await host.url()}/ada/one.git/git-receive-pack`, request)).text();
    };
    expect(await push({ archived: true })).to.contain('ng refs/heads/late');
    expect(await git.branch('late')).to.be.undefined();
    const again = { method: 'PATCH', url: '/api/v1/repos/ada/one', payload: { archived: false } } as const;
    expect((await host.as({ id: ada.id, name: 'ada' }).inject(again)).statusCode).to.equal(200);
    expect(await push({ description: 'late' })).to.contain('ok refs/heads/late');
  });

  it('a client that goes away in the middle of its body is no harm', async () => {
    const { port } = new URL(await host.url());
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST /ada/one.git/git-receive-pack HTTP/1.1\r\nhost: x\r\nauthorization: ${basic}\r\ncontent-type: application/x-git-receive-pack-request\r\ncontent-length: 100000\r\n\r\n0094`,
        );
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
    expect((await post('upload-pack', '0014command=ls-refs\n0000')).status).to.equal(200);
  });
});
