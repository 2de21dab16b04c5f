// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { tgz } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a catalogue of boxes (PKG-01)', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-vagrant', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT', path: string, payload?: Buffer, authorization = ada.authorization) =>
    host.inject({ method, url: `/api/packages/ada/vagrant${path}`, payload, headers: { authorization } });
  const box = (description: string) =>
    tgz({ 'metadata.json': '{}', 'info.json': JSON.stringify({ Description: description, website: 'javascript:1' }) });

  it('says whether credentials are good', async () => {
    expect((await send('GET', '/authenticate')).statusCode).to.equal(200);
    expect((await host.inject({ url: '/api/packages/ada/vagrant/authenticate' })).statusCode).to.equal(401);
    const wrong = `Basic ${Buffer.from('ada:wrong').toString('base64')}`;
    expect((await send('GET', '/authenticate', undefined, wrong)).statusCode).to.equal(401);
  });

  it('tells every version with its providers and sums, the lowest first', async () => {
    for (const [version, provider] of [
      ['1.10.0', 'virtualbox'],
      ['1.9.0', 'virtualbox'],
      ['1.9.0', 'libvirt'],
    ])
      expect((await send('PUT', `/tool/${version}/${provider}.box`, box(`of ${provider}`))).statusCode).to.equal(201);
    const again = await send('PUT', '/tool/1.9.0/libvirt.box', box('again'));
    expect(again.statusCode).to.equal(409);
    expect((again.json as { errors: string[] }).errors).to.have.length(1);
    const record = (await send('GET', '/tool')).json as {
      versions: { version: string; providers: { name: string; url: string; checksum: string }[] }[];
    };
    expect(record.versions.map(({ version }) => version)).to.equal(['1.9.0', '1.10.0']);
    const providers = record.versions[0]!.providers;
    expect(providers.map(({ name }) => name)).to.equal(['libvirt', 'virtualbox']);
    expect(providers[0]!.checksum).to.equal(createHash('sha512').update(box('of libvirt')).digest('hex'));
    expect(new URL(providers[0]!.url).pathname).to.equal('/api/packages/ada/vagrant/tool/1.9.0/libvirt.box');
  });

  it('shows what a box says of itself, but no links that are none', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/vagrant/tool/1.10.0' });
    expect(payload).to.contain(['of virtualbox', 'vagrant box add --box-version 1.10.0']);
    expect(payload).not.to.contain('javascript:1');
  });
});
