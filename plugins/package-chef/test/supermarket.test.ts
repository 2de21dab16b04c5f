import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { cookbook } from './cookbooks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

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

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/chef/zebra/0.1' });
    expect(payload).to.contain(['striped', 'knife supermarket install zebra 0.1', '/api/packages/ada/chef']);
  });
});
