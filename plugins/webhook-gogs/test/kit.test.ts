// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();

describeWebhookKind(lab, {
  plugin: 'webhook-gogs',
  key: 'gogs',

  check(received, event) {
    expect(received.headers['x-gogs-event']).to.equal(event);
    expect((JSON.parse(received.body) as { ref: string }).ref).to.equal('refs/heads/main');
  },
});
