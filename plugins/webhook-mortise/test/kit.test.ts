import { createHmac } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { mortiseKind } from '../kind.js';
import type { HookDelivery } from '@mortise/webhooks/api';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-mortise',
  key: 'mortise',
  check(received, event) {
    expect(received.headers['x-gitea-event']).to.equal(event);
    expect(received.headers['x-mortise-hook-installation-target-type']).to.equal('user');
    expect(JSON.parse(received.body)).to.be.an.object();
  },
});

const delivery = (more: object = {}): HookDelivery => ({
  id: '8f0b7a52-3a0e-4d0c-9d55-6f7a1f2f9d0a',
  event: 'issues',
  eventType: 'issue_label',
  payload: { action: 'label_updated' },
  secret: 'hush',
  sentAt: 0,
  hook: {
    id: 1,
    ownerKind: 'organization',
    ownerId: 3,
    kind: 'gitea',
    name: '',
    url: 'https://example.com/in?a=b',
    method: 'POST',
    contentType: 'json',
    events: [],
    branchFilter: '',
    active: true,
    hasSecret: true,
    hasAuthorization: false,
    settings: {},
    lastStatus: 'none',
    failingSince: 0,
    creatorId: 1,
    creatorLeftAt: 0,
    previousUntil: 0,
    createdAt: 0,
    updatedAt: 0,
    ...more,
  },
});

describe('the plain JSON kind', () => {
  it('signs the raw body under every name that receivers know', async () => {
    const { headers, body } = (await mortiseKind.request(delivery()))!;
    const sha256 = createHmac('sha256', 'hush').update(body).digest('hex');
    for (const product of ['Mortise', 'Gitea', 'Gogs']) expect(headers[`X-${product}-Signature`]).to.equal(sha256);
    expect(headers['X-Hub-Signature-256']).to.equal(`sha256=${sha256}`);
    expect(headers['X-Hub-Signature']).to.equal(`sha1=${createHmac('sha1', 'hush').update(body).digest('hex')}`);
    expect(headers['X-GitHub-Event-Type']).to.equal('issue_label');
    expect(headers['X-GitHub-Hook-Installation-Target-Type']).to.equal('organization');
    expect(headers['Content-Type']).to.equal('application/json');
  });

  it('signs as Standard Webhooks asks for, where that is chosen', async () => {
    const id = delivery().id;
    const bytes = Buffer.from('0123456789abcdef0123456789abcdef');
    const secret = `whsec_${bytes.toString('base64')}`;
    const given = { ...delivery({ settings: { signature: 'standard' } }), secret, sentAt: 1_700_000_000_999 };
    const { headers, body } = (await mortiseKind.request(given))!;
    const signed = `${id}.1700000000.${body}`;
    expect(headers).to.include({
      'webhook-id': id,
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`,
      'X-Mortise-Event': 'issues',
    });
    expect(Object.keys(headers).filter((name) => /^X-.*Signature/.test(name))).to.equal([]);
    const form = (await mortiseKind.request({
      ...given,
      secret: 'plain',
      previousSecret: 'older',
      hook: { ...given.hook, contentType: 'form' },
    }))!;
    const by = (key: string) =>
      `v1,${createHmac('sha256', key).update(`${id}.1700000000.${form.body}`).digest('base64')}`;
    expect(form.headers['webhook-signature']).to.equal(`${by('plain')} ${by('older')}`);
    const without = (await mortiseKind.request({ ...given, secret: '' }))!;
    expect(without.headers['webhook-signature']).to.be.undefined();
  });

  it('signs the JSON inside a form, as receivers of compatible services check it', async () => {
    const { headers, body } = (await mortiseKind.request(delivery({ contentType: 'form' })))!;
    expect(headers['Content-Type']).to.equal('application/x-www-form-urlencoded');
    expect(JSON.parse(new URLSearchParams(body).get('payload')!)).to.equal({ action: 'label_updated' });
    const json = new URLSearchParams(body).get('payload')!;
    expect(headers['X-Mortise-Signature']).to.equal(createHmac('sha256', 'hush').update(json).digest('hex'));
  });

  it('puts the payload into the address of a GET', async () => {
    const { url, body } = (await mortiseKind.request(delivery({ method: 'GET' })))!;
    expect(body).to.equal('');
    expect(new URL(url!).searchParams.get('a')).to.equal('b');
    expect(JSON.parse(new URL(url!).searchParams.get('payload')!)).to.equal({ action: 'label_updated' });
  });
});
