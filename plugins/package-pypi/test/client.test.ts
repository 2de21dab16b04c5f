// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { storage } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { source, upload, wheel, wheelName } from './samples.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasPip = spawnSync('pip', ['--version']).status === 0;

describe('the simple index', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-pypi', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    await send({ version: '1.0', requires_python: '>=3.6' }, wheelName('1.0'), wheel('1.0'));
    await send({ version: '1.0' }, 'kit_tool-1.0.tar.gz', source('1.0'));
    await send({ version: '2.0', attestations: '[{"version":1}]' }, wheelName('2.0'), wheel('2.0'));
  });
  after(() => host.close());

  const at = '/api/packages/ada/pypi';
  const send = async (...given: Parameters<typeof upload>) => {
    const { payload, headers } = upload(...given);
    const answer = await host.inject({
      method: 'POST',
      url: at,
      payload,
      headers: { ...headers, authorization: ada.authorization },
    });
    expect(answer.statusCode).to.equal(201);
  };
  const read = (path: string, accept = 'application/vnd.pypi.simple.v1+json') =>
    host.inject({ url: at + path, headers: { accept, authorization: ada.authorization } });
  const write = (method: 'PUT' | 'DELETE', path: string, payload?: object) =>
    host.inject({ method, url: at + path, payload, headers: { authorization: ada.authorization } });

  it('tells files with digests, sizes, metadata and attestations', async () => {
    const { files } = (await read('/simple/kit-tool/')).json;
    expect(files.map((file: { filename: string }) => file.filename)).to.equal([
      wheelName('1.0'),
      'kit_tool-1.0.tar.gz',
      wheelName('2.0'),
    ]);
    expect(files[0]['requires-python']).to.equal('>=3.6');
    expect(files[1]['core-metadata']).to.be.undefined();
    const metadata = await read(`/files/kit-tool/1.0/${wheelName('1.0')}.metadata`);
    expect(metadata.payload).to.contain('Name: kit-tool');
    expect(files[0]['core-metadata'].sha256).to.equal(createHash('sha256').update(metadata.payload).digest('hex'));
    const provenance = await read(new URL(files[2].provenance).pathname.slice(at.length));
    expect(provenance.json.attestation_bundles[0].attestations).to.equal([{ version: 1 }]);
  });

  it('keeps metadata with the upload, byte by byte, and reads it out of the archive where it could not', async () => {
    const area = host.services.get(storage).area('packages');
    const withoutArchive = async (version: string, metadata: string | Buffer) => {
      const data = wheel(version, metadata);
      await send({ version }, wheelName(version), data);
      const at = `/files/kit-tool/${version}/${wheelName(version)}`;
      const { rawPayload, statusCode } = await read(`${at}.metadata`);
      expect([statusCode, rawPayload.equals(Buffer.from(metadata))], version).to.equal([200, true]);
      const sha256 = createHash('sha256').update(data).digest('hex');
      await area.delete(`${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`);
      const again = await read(`${at}.metadata`);
      // so that other tests find what they have published alone
      await write('DELETE', at);
      return again.statusCode === 200 && again.rawPayload.equals(Buffer.from(metadata));
    };
    // pieces of a property end nowhere inside of a sign, whichever engine keeps them
    expect(await withoutArchive('7.1', `Name: kit-tool\r\n\n x${'🦫 '.repeat(15_000)}`)).to.be.true();
    expect(await withoutArchive('7.2', Buffer.from('Name: kit-tool\n\xff', 'latin1'))).to.be.false();
    expect(await withoutArchive('7.3', `Name: kit-tool\n${'long '.repeat(60_000)}`)).to.be.false();
  });

  it('tells old clients HTML, and who has a copy that it is good', async () => {
    const page = await read('/simple/kit-tool/', 'text/html');
    expect(page.headers['content-type']).to.contain('text/html');
    expect(page.payload).to.contain(['#sha256=', 'data-requires-python="&#62;=3.6"', 'data-core-metadata=']);
    const again = await host.inject({
      url: `${at}/simple/kit-tool/`,
      headers: { authorization: ada.authorization, 'if-none-match': page.headers.etag as string },
    });
    expect(again.statusCode).to.equal(304);
    expect((await read('/simple/')).json.projects).to.equal([{ name: 'kit-tool' }]);
  });

  it('tells which releases were yanked, and why', async () => {
    expect((await write('PUT', '/releases/kit-tool/2.0/yank', { reason: 'broken <b>' })).statusCode).to.equal(204);
    expect((await read('/simple/kit-tool/')).json.files[2].yanked).to.equal('broken <b>');
    expect((await read('/simple/kit-tool/', 'text/html')).payload).to.contain('data-yanked="broken &#60;b&#62;"');
    await write('DELETE', '/releases/kit-tool/2.0/yank');
    expect((await read('/simple/kit-tool/')).json.files[2].yanked).to.be.false();
  });

  it('pip downloads a release that was uploaded', { skip: !hasPip, timeout: 50_000 }, async () => {
    await write('PUT', '/releases/kit-tool/2.0/yank', { reason: '' });
    const folder = await mkdtemp(join(tmpdir(), 'mortise-pip-'));
    const base = (await host.url()).replace('//', `//ada:${encodeURIComponent(ada.password)}@`);
    const pip = (index: string) =>
      run(
        'pip',
        [
          'download',
          '--no-deps',
          '--no-cache-dir',
          '--disable-pip-version-check',
          '-d',
          folder,
          '--index-url',
          index,
          'Kit.Tool',
        ],
        {
          env: { ...process.env, PIP_CONFIG_FILE: '/dev/null', PIP_NO_INPUT: '1' },
        },
      );
    try {
      await pip(`${base}${at}/simple/`);
      expect(await readdir(folder)).to.equal([wheelName('1.0')]);
      await expect(pip(`${await host.url()}${at}/simple/`)).to.reject();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
