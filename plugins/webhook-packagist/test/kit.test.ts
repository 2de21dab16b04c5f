// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames, sentFor, type issueDelivery } from '@mortise/webhooks/testing';
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

interface Message {
  repository: { url: string };
}
const sent = (...given: Parameters<typeof issueDelivery>) => sentFor<Message>(packagistKind, ...given);

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

describeHostileNames(lab, packagistKind, () => 'inert');
