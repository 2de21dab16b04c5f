import type { CustomFetch } from 'openid-client';
import type { Outbound } from '@mortise/plugin-sdk';

const timeoutMs = 10_000;
const maxResponseBytes = 1024 * 1024;
/** Of what was unpacked and read already. */
const transport = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

/**
 * Requests to a provider. The hosts that an administrator has named may be in the same network; what the provider names
 * besides passes the list of the site (GEN-14). Never on to where it redirects, for requests hold secrets.
 */
export const providerFetch =
  (outbound: Outbound, named: ReadonlySet<string>): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const answer = await outbound.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
      ...(body === undefined || body === null ? {} : { body: bodyOf(body) }),
      ...(named.has(new URL(url).hostname) && { allowedHosts: '*' }),
      redirect: 'manual',
      timeoutMs,
      maxResponseBytes,
      ...(signal && { signal }),
    });
    const kept = Object.entries(answer.headers).filter(([name]) => !transport.has(name.toLowerCase()));
    const isEmpty = [204, 205, 304].includes(answer.status);
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: Object.fromEntries(kept),
    });
  };

function bodyOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('requests to providers are forms');
}
