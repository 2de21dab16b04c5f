// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { hostileNamesIn } from '@mortise/webhooks/testing';
import type { HookDelivery } from '@mortise/webhooks/api';
import { packagistKind } from '../kind.js';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-packagist',
  key: 'packagist',
  check(received) {
    expect(JSON.parse(received.body)).to.equal({ repository: { url: 'http://localhost:3000/ada/engine' } });
  },
});

const delivery = (
  settings: Record<string, string>,
  more: Partial<HookDelivery> = {},
  url = 'https://chat.example/in',
) =>
  ({
    id: '8f0b7a52-3a0e-4d0c-9d55-6f7a1f2f9d0a',
    event: 'issues',
    eventType: 'issues',
    payload: {
      action: 'opened',
      repository: { full_name: 'ada/tool', html_url: 'http://here/ada/tool' },
      sender: { login: 'ada', html_url: 'http://here/ada', avatar_url: 'http://here/avatars/1' },
      issue: { number: 1, title: '<Wet> & [paint]', html_url: 'http://here/ada/tool/issues/1', body: 'Mind *it*' },
    },
    secret: '',
    sentAt: 1_767_323_045_678,
    hook: { url, ownerKind: 'user', contentType: 'json', method: 'POST', settings },
    ...more,
  }) as unknown as HookDelivery;
const sent = async (...given: Parameters<typeof delivery>) => {
  const request = (await packagistKind.request(delivery(...given)))!;
  return { ...request, message: JSON.parse(request.body) as { repository: { url: string } } };
};

describe('notices for Packagist', () => {
  it('send the token with the request only', async () => {
    const settings = { username: 'ada', api_token: 't&k', package_url: 'https://packagist.org/packages/ada/tool' };
    const address = packagistKind.address!(settings);
    expect(address).to.equal('https://packagist.org/api/update-package?username=ada');
    const { url, message } = await sent(settings, {}, address);
    expect(new URL(url!).searchParams.get('apiToken')).to.equal('t&k');
    expect(message).to.equal({ repository: { url: settings.package_url } });
    expect(() => packagistKind.address!({ username: 'ada' })).to.throw(/api_token/);
  });
});

describe('names that try to be markup', () => {
  it('U4: stay text in every field of every event, and no address is encoded twice', async () => {
    expect(await hostileNamesIn(packagistKind, () => 'inert')).to.equal([]);
  });
});
