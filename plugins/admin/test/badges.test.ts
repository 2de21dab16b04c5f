import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('badges', () => {
  let host: TestHost;
  let root: TestClient;
  let ada: TestClient;
  const path = '/api/v1/admin/users/ada/badges';
  const send = (method: string, body?: unknown, who = root) =>
    who.inject({ method, url: path, payload: body as object });
  const slugs = async () => (await send('GET')).json.map((badge: { slug: string }) => badge.slug);

  before(async () => {
    ({ host, root, ada } = await startAdmin());
    for (const slug of ['kind', 'early'])
      await host.command('admin badge create', {
        slug,
        description: `Was ${slug}`,
        imageUrl: 'https://pic.test/a.png',
      });
  });
  after(() => host.close());

  it('are made and deleted by command', async () => {
    expect(await host.command('admin badge list')).to.equal(['early  Was early', 'kind  Was kind']);
    for (const [slug, imageUrl, why] of [
      ['kind', '', /already/],
      ['Kind of', '', /lowercase letters/],
      ['x', 'javascript:1', /http or https/],
    ] as const)
      await expect(host.command('admin badge create', { slug, imageUrl })).to.reject(why);
    await expect(host.command('admin badge delete', { slug: 'none' })).to.reject(/does not exist/);
  });

  it('are given, all or none, and taken', async () => {
    expect((await send('POST', { badge_slugs: ['kind', 'none'] })).statusCode).to.equal(422);
    expect(await slugs()).to.equal([]);
    expect((await send('POST', { badge_slugs: ['early', 'kind', 'kind'] })).statusCode).to.equal(204);
    expect((await send('POST', { badge_slugs: ['kind'] })).statusCode).to.equal(204);
    const listed = await send('GET');
    expect(listed.headers['x-total-count']).to.equal('2');
    expect(listed.json[0]).to.include({ slug: 'kind', description: 'Was kind', image_url: 'https://pic.test/a.png' });
    expect((await ada.inject('/ada')).payload).to.include(['Badges', 'alt="Was kind"', 'https://pic.test/a.png']);
    expect((await ada.inject('/root')).payload).not.to.include('Badges');
    expect((await send('DELETE', { badge_slugs: ['kind', 'shining'] })).statusCode).to.equal(204);
    expect(await slugs()).to.equal(['early']);
    await host.command('admin badge delete', { slug: 'early' });
    expect(await slugs()).to.equal([]);
  });

  it('are for administrators, who name them in a list', async () => {
    for (const body of [{}, { badge_slugs: 'kind' }, { badge_slugs: null }])
      for (const method of ['POST', 'DELETE']) expect((await send(method, body)).statusCode).to.equal(422);
    expect((await send('POST', { badge_slugs: [] })).statusCode).to.equal(204);
    expect((await send('GET', undefined, ada)).statusCode).to.equal(403);
    expect((await root.inject(path.replace('ada', 'nobody'))).statusCode).to.equal(404);
  });
});
