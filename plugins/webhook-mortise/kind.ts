import { createHmac } from 'node:crypto';
import type { HookDelivery, WebhookKind } from '@mortise/webhooks/api';

const hmac = (algorithm: 'sha1' | 'sha256', secret: string, body: string) =>
  createHmac(algorithm, secret).update(body, 'utf8').digest('hex');

/** What every delivery says about itself, under the names that receivers of compatible services look for (HOK-22, HOK-23). */
function headersOf({ id, event, eventType, hook, secret }: HookDelivery, body: string): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': hook.contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
  };
  for (const product of ['Mortise', 'Gitea', 'Gogs', 'GitHub']) {
    headers[`X-${product}-Delivery`] = id;
    headers[`X-${product}-Event`] = event;
    headers[`X-${product}-Event-Type`] = eventType;
    if (product !== 'Gogs') headers[`X-${product}-Hook-Installation-Target-Type`] = hook.ownerKind;
  }
  const sha256 = secret ? hmac('sha256', secret, body) : '';
  for (const product of ['Mortise', 'Gitea', 'Gogs']) headers[`X-${product}-Signature`] = sha256;
  if (secret) {
    headers['X-Hub-Signature'] = `sha1=${hmac('sha1', secret, body)}`;
    headers['X-Hub-Signature-256'] = `sha256=${sha256}`;
  }
  return headers;
}

/** The event as JSON, or as a form with the JSON in the field `payload`; signed with the hook's secret. */
export const mortiseKind: WebhookKind = {
  key: 'mortise',
  aliases: ['gitea', 'gogs'],
  label: 'Mortise',
  icon: 'webhook',
  order: 10,
  signed: true,
  request(delivery) {
    const json = JSON.stringify(delivery.payload, null, 2);
    const body = delivery.hook.contentType === 'form' ? new URLSearchParams({ payload: json }).toString() : json;
    if (delivery.hook.method !== 'GET') return { headers: headersOf(delivery, body), body };
    const url = new URL(delivery.hook.url);
    url.searchParams.set('payload', json);
    return { url: url.href, headers: headersOf(delivery, json), body: '' };
  },
};
