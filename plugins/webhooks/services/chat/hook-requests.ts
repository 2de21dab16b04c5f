import { createHmac } from 'node:crypto';
import type { HookDelivery } from '../../api.js';
import type { HookRequest } from '../../contract/webhooks.js';

const hmac = (algorithm: 'sha1' | 'sha256', secret: string, body: string) =>
  createHmac(algorithm, secret).update(body, 'utf8').digest('hex');

/**
 * As https://www.standardwebhooks.com asks for: `webhook-signature` has one signature for each secret that counts. A secret
 * that begins with `whsec_` is the base64 of its bytes.
 */
function standardHeaders({ id, secret, previousSecret, sentAt }: HookDelivery, body: string): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1000));
  const signatureBy = (given: string) => {
    const key = given.startsWith('whsec_') ? Buffer.from(given.slice(6), 'base64') : Buffer.from(given, 'utf8');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
  };
  const signatures = [secret, previousSecret ?? ''].filter(Boolean).map(signatureBy);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length && { 'webhook-signature': signatures.join(' ') }),
  };
}

/** What every delivery says about itself, under the names that receivers of compatible services look for (HOK-22, HOK-23). */
function hookHeaders(
  delivery: HookDelivery,
  signed: string,
  contentType = 'application/json',
  /** What is sent, where that is not what is signed. */
  body = signed,
): Record<string, string> {
  const { id, event, eventType, hook, secret, previousSecret } = delivery;
  const headers: Record<string, string> = { 'Content-Type': contentType };
  for (const product of ['Mortise', 'Gitea', 'Gogs', 'GitHub']) {
    headers[`X-${product}-Delivery`] = id;
    headers[`X-${product}-Event`] = event;
    headers[`X-${product}-Event-Type`] = eventType;
    if (product !== 'Gogs') headers[`X-${product}-Hook-Installation-Target-Type`] = hook.ownerKind;
  }
  if (hook.settings.signature === 'standard') return { ...headers, ...standardHeaders(delivery, body) };
  // without a secret the names are there all the same, as receivers expect
  const sha256 = secret ? hmac('sha256', secret, signed) : '';
  const sha1 = secret ? hmac('sha1', secret, signed) : '';
  for (const product of ['Mortise', 'Gitea', 'Gogs']) headers[`X-${product}-Signature`] = sha256;
  headers['X-Hub-Signature'] = `sha1=${sha1}`;
  headers['X-Hub-Signature-256'] = `sha256=${sha256}`;
  if (previousSecret) headers['X-Mortise-Signature-Previous'] = hmac('sha256', previousSecret, signed);
  return headers;
}

/**
 * The payload as JSON, or as a form with the JSON in the field `payload`. However it is packed, the JSON is what is
 * signed: receivers of compatible services check that.
 */
export function payloadRequest(delivery: HookDelivery): HookRequest {
  const { hook, payload } = delivery;
  const json = JSON.stringify(payload, null, 2);
  if (hook.method === 'GET') {
    const url = new URL(hook.url);
    url.searchParams.set('payload', json);
    return { url: url.href, headers: hookHeaders(delivery, json, 'application/json', ''), body: '' };
  }
  if (hook.contentType !== 'form') return { headers: hookHeaders(delivery, json), body: json };
  const body = new URLSearchParams({ payload: json }).toString();
  return { headers: hookHeaders(delivery, json, 'application/x-www-form-urlencoded', body), body };
}

/** A message of a chat as JSON with the headers of every delivery, whatever content type the hook has. */
export function jsonRequest(delivery: HookDelivery, message: object, more: Omit<HookRequest, 'headers' | 'body'> = {}) {
  const body = JSON.stringify(message);
  return { ...more, headers: hookHeaders(delivery, body), body } satisfies HookRequest;
}
