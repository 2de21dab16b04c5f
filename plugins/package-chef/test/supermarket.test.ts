import { createHash, generateKeyPairSync, privateEncrypt, sign } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, multipart, startHost, submitForm, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { cookbook } from './cookbooks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Signing {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly content: Buffer;
  readonly user: string;
  readonly version: '1.0' | '1.1' | '1.2' | '1.3';
  readonly at?: number;
  readonly more?: Readonly<Record<string, string>>;
}

/** Headers as clients of Chef sign them. */
function signed({ key, method, path, content, user, version, at = Date.now(), more }: Signing): Record<string, string> {
  const algorithm = version === '1.3' ? 'sha256' : 'sha1';
  const sum = (data: string | Buffer) => createHash(algorithm).update(data).digest('base64');
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const common = [`X-Ops-Content-Hash:${sum(content)}`];
  const text = (
    version === '1.3'
      ? [
          `Method:${method}`,
          `Path:${path}`,
          ...common,
          'X-Ops-Sign:version=1.3',
          `X-Ops-Timestamp:${time}`,
          `X-Ops-UserId:${user}`,
          'X-Ops-Server-API-Version:1',
        ]
      : [
          `Method:${method}`,
          `Hashed Path:${sum(path)}`,
          ...common,
          `X-Ops-Timestamp:${time}`,
          `X-Ops-UserId:${version === '1.0' ? user : sum(user)}`,
        ]
  ).join('\n');
  const isPlain = version === '1.0' || version === '1.1';
  const signature = isPlain ? privateEncrypt(key, Buffer.from(text)) : sign(algorithm, Buffer.from(text), key);
  const lines = signature.toString('base64').match(/.{1,60}/g)!;
  return {
    'x-ops-sign': `algorithm=${algorithm};version=${version};`,
    'x-ops-userid': user,
    'x-ops-timestamp': time,
    'x-ops-content-hash': sum(content),
    'x-ops-server-api-version': '1',
    ...Object.fromEntries(lines.map((line, n) => [`x-ops-authorization-${n + 1}`, line])),
    ...more,
  };
}

describe('a supermarket of cookbooks (PKG-01)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-chef', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
    for (const fields of [
      { version: '1.9.0', dependencies: { other: '>= 1.0', 'no good': '1', list: [1] } },
      { version: '1.10.0', source_url: 'https://example.com/source', issues_url: 'javascript:1' },
      { name: 'zebra', version: '0.1', description: 'striped' },
    ])
      expect((await send('POST', '/cookbooks', cookbook(fields))).statusCode).to.equal(201);
  });
  after(() => host.close());

  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: Buffer) =>
    host.inject({
      method,
      url: `/api/packages/ada/chef/api/v1${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const read = async <T>(path: string) => (await send('GET', path)).json as T;
  interface List {
    readonly start: number;
    readonly total: number;
    readonly items: readonly { readonly cookbook_name: string }[];
  }
  const names = async (path: string) => (await read<List>(path)).items.map((one) => one.cookbook_name);

  it('tells what each version depends on', async () => {
    const universe =
      await read<Record<string, Record<string, { dependencies: object; download_url: string }>>>('/universe');
    expect(Object.keys(universe).sort()).to.equal(['tool', 'zebra']);
    const { dependencies, download_url } = universe.tool!['1.9.0']!;
    expect(dependencies).to.equal({ other: '>= 1.0' });
    const file = await host.inject({ url: new URL(download_url).pathname });
    expect(file.statusCode).to.equal(200);
    expect(file.headers['content-disposition']).to.contain('1.9.0.tar.gz');
  });

  it('lists and finds cookbooks, page by page', async () => {
    expect(await names('/cookbooks')).to.equal(['tool', 'zebra']);
    expect(await names('/cookbooks?items=1&start=1')).to.equal(['zebra']);
    expect(await names('/cookbooks?order=recently_added')).to.equal(['zebra', 'tool']);
    expect(await names('/cookbooks?items=no&start=-1')).to.equal(['tool', 'zebra']);
    expect(await names('/search?q=EBR')).to.equal(['zebra']);
    expect(await read<List>('/search?q=none')).to.equal({ start: 0, total: 0, items: [] });
  });

  it('takes the highest version as the latest', async () => {
    const tool = await read<Record<string, unknown>>('/cookbooks/tool');
    expect(tool.latest_version).to.match(/tool\/versions\/1\.10\.0$/);
    expect(tool).to.include({ source_url: 'https://example.com/source', issues_url: '' });
    expect((await read<{ version: string }>('/cookbooks/tool/versions/1_9_0')).version).to.equal('1.9.0');
  });

  it('tells errors as its clients read them, and forgets what is deleted', async () => {
    const again = await send('POST', '/cookbooks', cookbook({ version: '1.9.0' }));
    expect(again.statusCode).to.equal(409);
    expect((again.json as { error_messages: string[] }).error_messages).to.have.length(1);
    expect((await send('DELETE', '/cookbooks/tool/versions/1.10.0')).statusCode).to.equal(200);
    expect((await read<{ versions: string[] }>('/cookbooks/tool')).versions).to.have.length(1);
    expect((await send('DELETE', '/cookbooks/tool')).statusCode).to.equal(200);
    expect((await send('DELETE', '/cookbooks/tool')).statusCode).to.equal(404);
    expect(await names('/cookbooks')).to.equal(['zebra']);
  });

  it('takes what knife signs, with the key pair of an account', async () => {
    const page = host.as(ada);
    const make = async () => (await submitForm(page, '/user/settings/chef/new')).payload;
    const key = await make();
    expect(key).to.startWith('-----BEGIN RSA PRIVATE KEY-----');
    expect((await page.inject('/user/settings/chef')).payload).to.contain('The key was made');
    const base = '/api/packages/ada/chef/api/v1';
    const publish = async (version: string, given: Partial<Signing> = {}, sent?: Buffer) => {
      const content = cookbook({ name: 'signed', version });
      const headers = signed({
        key,
        method: 'POST',
        path: `${base}/cookbooks`,
        content,
        user: 'ada',
        version: '1.0',
        ...given,
      });
      const form = multipart([{ name: 'tarball', value: sent ?? content, fileName: 'signed.tgz' }]);
      const { statusCode } = await host.inject({
        method: 'POST',
        url: `${base}/cookbooks`,
        payload: form.payload,
        headers: { ...form.headers, ...headers },
      });
      return statusCode;
    };
    for (const [at, version] of (['1.0', '1.1', '1.2', '1.3'] as const).entries())
      expect(await publish(`1.${at}.0`, { version }), version).to.equal(201);
    expect(await publish('2.0.0', { user: 'ADA', version: '1.1' })).to.equal(201);
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs1',
      format: 'pem',
    });
    const wrong: Partial<Signing>[] = [
      { key: String(other) },
      { user: 'nobody' },
      { path: `${base}/universe` },
      { method: 'GET' },
      { at: Date.now() - 11 * 60_000 },
      { at: Date.now() + 11 * 60_000 },
    ];
    for (const version of ['1.0', '1.3'] as const)
      for (const one of wrong)
        expect(await publish('3.0.0', { ...one, version }), `${version} ${JSON.stringify(Object.keys(one))}`).to.equal(
          401,
        );
    const unreadable: readonly Record<string, string>[] = [
      { 'x-ops-sign': 'version=2.0;' },
      { 'x-ops-timestamp': 'now' },
      { 'x-ops-authorization-1': '!' },
    ];
    for (const broken of unreadable)
      expect(await publish('3.0.0', { more: broken }), Object.keys(broken)[0]).to.equal(401);
    // what was signed is what is published
    expect(await publish('3.0.0', {}, cookbook({ name: 'signed', version: '9.0.0' }))).to.equal(400);
    // it opens cookbooks, and nothing else
    const elsewhere = signed({
      key,
      method: 'GET',
      path: '/api/v1/user',
      content: Buffer.alloc(0),
      user: 'ada',
      version: '1.3',
    });
    expect((await host.inject({ url: '/api/v1/user', headers: elsewhere })).statusCode).to.equal(401);
    const path = `${base}/cookbooks/signed`;
    const gone = signed({ key, method: 'DELETE', path, content: Buffer.alloc(0), user: 'ada', version: '1.3' });
    expect((await host.inject({ method: 'DELETE', url: path, headers: gone })).statusCode).to.equal(200);
    // a new pair ends the one before, and so does its deletion
    const newer = await make();
    expect([await publish('4.0.0'), await publish('4.0.0', { key: newer })]).to.equal([401, 201]);
    await submitForm(page, '/user/settings/chef', { action: 'delete' });
    expect(await publish('5.0.0', { key: newer })).to.equal(401);
    expect((await page.inject('/user/settings/chef')).payload).to.contain('There is no key.');
  });

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/chef/zebra/0.1' });
    expect(payload).to.contain(['striped', 'knife supermarket install zebra 0.1', '/api/packages/ada/chef']);
  });
});
