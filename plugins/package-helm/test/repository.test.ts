// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { yamlOf } from '../services/chart.js';
import { chart } from './charts.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml');

interface Chart {
  readonly version: string;
  readonly urls: readonly string[];
  readonly [field: string]: unknown;
}

describe('a repository of charts (PKG-01)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-helm', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());

  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: Buffer | string, headers = {}) =>
    host.inject({
      method,
      url: `/api/packages/ada/helm${path}`,
      payload,
      headers: { authorization: ada.authorization, ...headers },
    });
  const index = async () => {
    const { payload } = await send('GET', '/index.yaml');
    return yaml.parse(payload) as { apiVersion: string; entries: Readonly<Record<string, readonly Chart[]>> };
  };

  it('has an index before there is a chart', async () => {
    expect(await index()).to.include({ apiVersion: 'v1', entries: {} });
  });

  it('tells what charts say, as text, the highest version first', async () => {
    const more = [
      'appVersion: 1.10\nkeywords: [one, "two: 2"]\nannotations:\n  "a b": "line\\nbreak"\ndeprecated: true\n',
      'maintainers:\n- name: Ada\n  email: ada@example.com\ndependencies:\n- name: other\n  version: ~2.0\n  tags: [a]\n',
    ].join('');
    const bytes = chart({ version: '1.9.0' }, more);
    expect((await send('POST', '/api/charts', bytes)).statusCode).to.equal(201);
    expect((await send('POST', '/api/charts', chart({ version: '1.10.0' }))).statusCode).to.equal(201);
    const form = '--x\r\nContent-Disposition: form-data; name="chart"; filename="a.tgz"\r\n\r\n';
    const payload = Buffer.concat([Buffer.from(form), chart({ version: '2.0.0-rc.1' }), Buffer.from('\r\n--x--\r\n')]);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await send('POST', '/api/charts', payload, headers)).statusCode).to.equal(201);
    const charts = (await index()).entries.tool!;
    expect(charts.map(({ version }) => version)).to.equal(['2.0.0-rc.1', '1.10.0', '1.9.0']);
    expect(charts[2]).to.include({
      appVersion: '1.10',
      keywords: ['one', 'two: 2'],
      annotations: { 'a b': 'line\nbreak' },
      deprecated: true,
      maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
      dependencies: [{ name: 'other', version: '~2.0', tags: ['a'] }],
      digest: createHash('sha256').update(bytes).digest('hex'),
    });
    const file = await host.inject({
      url: new URL(charts[2]!.urls[0]!).pathname,
      headers: { authorization: ada.authorization },
    });
    expect(file.rawPayload.equals(bytes)).to.be.true();
  });

  it('C6: names files in the index as they are stored', async () => {
    expect((await send('POST', '/api/charts', chart({ name: 'built', version: '1.0.0+build.7' }))).statusCode).to.equal(
      201,
    );
    const [url] = (await index()).entries.built![0]!.urls;
    expect(url).to.contain('/api/packages/ada/helm/built-1.0.0+build.7.tgz');
    expect((await send('GET', '/built-1.0.0+build.7.tgz')).statusCode).to.equal(200);
    expect((await send('DELETE', '/api/charts/built/1.0.0+build.7')).statusCode).to.equal(200);
  });

  it('replaces nothing silently, and says why', async () => {
    const again = await send('POST', '/api/charts', chart({ version: '1.9.0' }));
    expect(again.statusCode).to.equal(409);
    expect((again.json as { error: string }).error).to.be.a.string();
    expect((await send('DELETE', '/api/charts/tool/9.9.9')).statusCode).to.equal(404);
  });

  it('lists charts that are named like what every object has', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty'])
      expect((await send('POST', '/api/charts', chart({ name }))).statusCode).to.equal(201);
    const { entries } = await index();
    expect(Object.keys(entries).sort()).to.equal(['constructor', 'hasOwnProperty', 'toString', 'tool']);
    expect(new Map(Object.entries(entries)).get('constructor')!.map(({ version }) => version)).to.equal(['1.0.0']);
  });

  it('shows its readme and how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/helm/tool/1.9.0' });
    expect(payload).to.contain(['The tool', 'helm repo add ada ', 'helm install my-tool ada/tool --version 1.9.0']);
  });

  it('writes YAML that others read', () => {
    const value = { a: [[], {}, [['x', { b: ['c'] }], 'y'], { 'k: ': 'v # no', n: { m: [{ o: 'p' }] } }], t: true };
    expect(yaml.parse(yamlOf(value).slice(1))).to.equal(value);
  });
});
