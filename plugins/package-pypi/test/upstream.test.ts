// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { FakeUpstream } from '@mortise/packages/testing';
import { upload, wheel, wheelName } from './samples.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasPip = spawnSync('pip', ['--version']).status === 0;
const at = '/api/packages/ada/pypi';

describe('PKG-20: projects of another index', { timeout: 60_000 }, () => {
  let upstream: FakeUpstream;
  let host: TestHost;
  let ada: KitUser;
  const content = wheel('1.0');
  const file = wheelName('1.0');
  const description = 'Metadata-Version: 2.1\nName: kit-tool\nVersion: 1.0\n';
  const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
  const page = (name: string, hash = sha256(content)) => ({
    headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' },
    body: {
      meta: { 'api-version': '1.1' },
      name,
      versions: ['1.0'],
      files: [
        {
          filename: file,
          url: `../../files/${file}`,
          hashes: { sha256: hash },
          'requires-python': '>=3.6',
          'core-metadata': { sha256: sha256(description) },
          provenance: 'https://elsewhere.example/',
          yanked: false,
        },
        { filename: 'unchecked-1.0.tar.gz', url: '../../files/unchecked', hashes: {} },
        { filename: '../leaves.whl', url: '../../files/leaves', hashes: { sha256: sha256('') } },
      ],
    },
  });

  before(async () => {
    upstream = await FakeUpstream.start();
    upstream.has('/simple/kit-tool/', page('Kit.Tool')).has(`/files/${file}`, { body: content });
    upstream.has(`/files/${file}.metadata`, { body: description });
    upstream.has('/simple/other/', page('other', sha256('something else')));
    host = await startHost({
      plugins: ['package-pypi', 'auth-basic'],
      settings: { 'package-pypi': { UPSTREAM: upstream.url } },
    });
    ada = await makeUser(host, 'ada');
  });
  after(async () => {
    await host.close();
    await upstream.close();
  });
  const read = (path: string, accept = 'application/vnd.pypi.simple.v1+json') =>
    host.inject({ url: at + path, headers: { accept, authorization: ada.authorization } });

  it('serves pages in both forms, and files and metadata that are checked', async () => {
    const { files } = (await read('/simple/Kit_Tool/')).json;
    expect(files.length).to.equal(1);
    expect(files[0])
      .to.include({ filename: file, 'requires-python': '>=3.6', yanked: false })
      .and.not.include('provenance');
    expect(files[0].url).to.equal(host.site.url(`${at}/files/kit-tool/-/${file}`));
    const html = await read('/simple/kit-tool/', 'text/html');
    expect(html.headers['content-security-policy']).to.match(/^default-src 'none'; .*; sandbox allow-downloads$/);
    expect(html.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(html.payload).to.include([
      `${file}#sha256=${sha256(content)}"`,
      'data-requires-python',
      'data-core-metadata',
    ]);
    expect((await read(`/files/kit-tool/-/${file}`)).rawPayload).to.equal(content);
    expect((await read(`/files/kit-tool/-/${file}.metadata`)).payload).to.equal(description);
    for (const path of ['/simple/nowhere/', '/files/kit-tool/-/unchecked-1.0.tar.gz', '/files/kit-tool/-/toString'])
      expect((await read(path)).statusCode, path).to.equal(404);
    expect((await host.inject(`${at}/simple/kit-tool/`)).statusCode).to.equal(401);
    expect((await read(`/files/other/-/${file}`)).statusCode).to.equal(502);
  });

  it('rewrites long pages as short ones, within bounds', async () => {
    const { body, headers } = page('long');
    const [first] = body.files;
    const many = Array.from({ length: 3000 }, (_, n) => ({
      ...first,
      filename: `long-1.${n}.tar.gz`,
      url: `../../l/${n}`,
    }));
    upstream.has('/simple/long/', { headers, body: { ...body, files: many } });
    upstream.has('/l/7', { body: content });
    const { files } = (await read('/simple/long/')).json;
    expect(files.length).to.equal(3000);
    expect(files[7].url).to.equal(host.site.url(`${at}/files/long/-/long-1.7.tar.gz`));
    const html = (await read('/simple/long/', 'text/html')).payload;
    expect(html.match(/<a /g)!.length).to.equal(3000);
    expect(html).to.include(`${at}/files/long/-/long-1.2999.tar.gz#sha256=${sha256(content)}"`);
    expect((await read('/files/long/-/long-1.7.tar.gz')).rawPayload).to.equal(content);
    upstream.has('/simple/huge/', { headers, body: { ...page('huge').body, note: 'x'.repeat(17 * 1024 * 1024) } });
    expect((await read('/simple/huge/')).statusCode).to.equal(502);
  });

  it('pip downloads packages of the upstream registry', { skip: !hasPip, timeout: 50_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-pip-'));
    try {
      const base = (await host.url()).replace('//', `//ada:${encodeURIComponent(ada.password)}@`);
      const options = ['--no-deps', '--no-cache-dir', '--disable-pip-version-check', '-d', folder];
      const env = { ...process.env, PIP_CONFIG_FILE: '/dev/null', PIP_NO_INPUT: '1' };
      await run('pip', ['download', ...options, '--index-url', `${base}${at}/simple/`, 'kit-tool'], { env });
      expect(await readdir(folder)).to.equal([file]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('never asks for a name that is here, however it is written', async () => {
    const asked = upstream.asked().length;
    const { payload, headers } = upload(
      { name: 'Mine.Tool', version: '1.0' },
      'mine_tool-1.0-py3-none-any.whl',
      wheel('1.0'),
    );
    upstream.has('/simple/mine-tool/', page('mine-tool'));
    const put = await host.inject({
      method: 'POST',
      url: at,
      payload,
      headers: { ...headers, authorization: ada.authorization },
    });
    expect(put.statusCode, put.payload).to.equal(201);
    for (const name of ['mine-tool', 'MINE__tool', 'mine.tool']) {
      const { files } = (await read(`/simple/${name}/`)).json;
      expect(files.map((one: { filename: string }) => one.filename)).to.equal(['mine_tool-1.0-py3-none-any.whl']);
      expect((await read(`/files/${name}/-/${file}`)).statusCode).to.equal(404);
    }
    expect(upstream.asked().length).to.equal(asked);
  });
});
