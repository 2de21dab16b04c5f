import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** RIGHT-TO-LEFT OVERRIDE: turns around what follows it in its line. */
const mark = '\u202e';
const named = (text: string) => `${text}${mark}gnp`;

describe('U18: texts of users keep their direction to themselves', () => {
  let host: TestHost;
  let ada: SignedIn;
  before(async () => {
    host = await startHost({
      plugins: ['reviews', 'releases', 'wiki', 'organizations', 'notifications', 'activity', 'stars', 'editor'],
    });
    ada = await signUp(host, 'ada');
    const send = async (method: 'POST' | 'PATCH' | 'PUT', path: string, payload: object) => {
      const answer = await ada.inject({ method, url: `/api/v1${path}`, payload });
      expect(answer.statusCode, `${path}: ${answer.payload}`).to.be.below(300);
    };
    await send('PATCH', '/user/settings', {
      full_name: named('Ada'),
      description: named('bio'),
      location: named('place'),
    });
    await send('POST', '/orgs', { username: 'guild', full_name: named('Guild'), description: named('about') });
    await send('POST', '/user/repos', { name: 'shop', auto_init: true });
    await send('PATCH', '/repos/ada/shop', { description: named('shop') });
    const file = { content: 'YQ==', message: named('subject'), branch: 'main', new_branch: 'topic' };
    await send('POST', `/repos/ada/shop/contents/${encodeURIComponent(named('file'))}`, file);
    await send('POST', '/repos/ada/shop/labels', {
      name: named('label'),
      color: '#00aabb',
      description: named('what'),
    });
    await send('POST', '/repos/ada/shop/milestones', { title: named('milestone') });
    await send('POST', '/repos/ada/shop/issues', { title: named('issue'), labels: [1], milestone: 1 });
    await send('PATCH', '/repos/ada/shop/issues/1', { title: named('other') });
    await send('POST', '/repos/ada/shop/pulls', { title: named('pull'), head: 'topic', base: 'main' });
    await send('POST', '/repos/ada/shop/releases', { tag_name: 'v1', name: named('release') });
    await send('POST', '/repos/ada/shop/wiki/new', { title: named('Page'), content_base64: 'YQ==' });
    await host.settle();
  });
  after(() => host.close());

  const titles = /<(title|textarea|option|script|style|noscript)\b[^>]*>[^]*?<\/\1>/g;

  for (const page of [
    '/',
    '/ada',
    '/explore/users',
    '/explore/repos',
    '/guild',
    '/ada/shop',
    '/ada/shop/src/branch/topic',
    '/ada/shop/commits/branch/topic',
    '/ada/shop/commit/HEAD',
    '/ada/shop/branches',
    `/ada/shop/src/branch/topic/${encodeURIComponent(named('file'))}`,
    `/ada/shop/blame/branch/topic/${encodeURIComponent(named('file'))}`,
    `/ada/shop/commits/branch/topic/${encodeURIComponent(named('file'))}`,
    '/ada/shop/compare/main...topic',
    '/notifications',
    '/issues',
    '/pulls',
    '/user/settings/organization',
    '/ada/shop/issues',
    '/ada/shop/issues/1',
    '/ada/shop/labels',
    '/ada/shop/milestones',
    '/ada/shop/pulls',
    '/ada/shop/pulls/2',
    '/ada/shop/pulls/2/commits',
    '/ada/shop/pulls/2/files',
    '/ada/shop/releases',
    '/ada/shop/wiki',
    '/user/settings',
  ])
    it(`on ${page}`, async () => {
      const { commit } = (await ada.inject('/api/v1/repos/ada/shop/branches/topic')).json as { commit: { id: string } };
      const answer = await ada.inject(page.replace('HEAD', commit.id));
      expect(answer.statusCode).to.equal(200);
      const html = answer.payload.replace(titles, '').replaceAll(/<bdi>[^<]*<\/bdi>/g, '');
      const loose = html
        .replaceAll(/<[^>]*>/g, '\n')
        .split('\n')
        .filter((line) => line.includes(mark));
      expect(loose).to.equal([]);
    });
});
