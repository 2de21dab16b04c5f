import type { Readable } from 'node:stream';
import type { Database, Logger, Outbound, Encryption } from '@mortise/plugin-sdk';
import type { HookRequest } from '../contract/webhooks.js';
import { DeliveryRow, type DeliveryState, type ReceivedResponse, type SentRequest } from '../models/delivery.js';
import { HookRow, toHook } from '../models/hook.js';
import { decryptSettings, secretValues } from './kind-settings.js';
import type { WebhookSettings } from '../settings.js';
import { basicOf, splitAddress } from './hook-address.js';
import { redactSecrets, redactRequest, mask } from './redaction.js';
import type { Kinds } from './webhook-kinds.js';

interface SenderDeps {
  readonly database: Database;
  readonly outbound: Outbound;
  readonly kinds: Kinds;
  readonly encryption: Encryption;
  readonly settings: Readonly<WebhookSettings>;
  /** PEM; empty: the public ones alone. */
  readonly certificates: string;
}

const maxStoredBytes = 64 * 1024;

const hour = 3_600_000;
/** Then a day has passed: what was not taken is not sent any more. */
export const giveUpMs = 24 * hour;
/** So long deliveries wait for an earlier one that the receiver does not take; then they go before it. */
const orderMs = 5 * 60_000;
/** How often a receiver is asked that has taken nothing for a day. */
export const deadPauseMs = hour;

/** What stands before the receiver, or the lack of an answer, says nothing about this delivery. */
const isUnavailable = (status: number): boolean => [0, 429, 502, 503, 504].includes(status);

/** Milliseconds to the next attempt: 15 seconds, then doubled up to an hour. */
export const pauseAfter = (attempts: number): number => Math.min(hour, 15_000 * 2 ** Math.min(attempts - 1, 20));

export interface DeliveryResult {
  /** When to try the same again, in milliseconds since 1970 UTC. */
  readonly retryAt?: number;
  /** Later ones go before it. */
  readonly overtaken?: boolean;
  /** Since when the receiver has failed, where that is longer than deliveries are kept in order. */
  readonly failingSince?: number;
  /** It was given up, and the receiver takes nothing else either. */
  readonly isDead?: boolean;
}

/** Sends stored deliveries and keeps what came back (HOK-22, HOK-25). */
export class DeliverySender {
  constructor(private readonly deps: SenderDeps) {}

  /** What follows for the hook; undefined: this one is done, and the next may be sent. */
  async send(deliveryId: number, signal: AbortSignal, log: Logger): Promise<DeliveryResult | undefined> {
    const { database } = this.deps;
    const delivery = await database.query(DeliveryRow).findById(deliveryId);
    if (!delivery || delivery.state !== 'waiting') return undefined;
    const hook = await database.query(HookRow).findById(delivery.hook_id);
    if (!hook) return undefined;
    const kind = this.deps.kinds.find(hook.kind);
    if (!kind) return this.keep(delivery, 'failed', null, failed(`the kind ${hook.kind} is not loaded`, 0));
    const authorization = this.deps.encryption.decrypt(hook.authorization);
    const settings = decryptSettings(this.deps.encryption, kind, toHook(hook).settings);
    let made: HookRequest | undefined;
    try {
      made = await kind.request({
        id: delivery.uuid,
        event: delivery.event,
        eventType: delivery.event_type,
        payload: delivery.payload,
        ...(delivery.description ? { description: delivery.description } : {}),
        hook: { ...toHook(hook), settings },
        secret: this.deps.encryption.decrypt(hook.secret),
        ...this.previousOf(hook),
        sentAt: Date.now(),
      });
    } catch (error) {
      return this.keep(delivery, 'failed', null, failed((error as Error).message, 0));
    }
    if (!made) return this.keep(delivery, 'skipped', null, null);
    const request: SentRequest = {
      method: made.method ?? hook.method,
      url: made.url ?? hook.url,
      headers: { ...made.headers },
      body: made.body,
    };
    const target = basicOf(request.url, this.passwordFor(hook, request.url));
    const isGiven = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
    const response = await this.exchange(
      { ...request, url: target.url },
      authorization || (isGiven ? '' : target.authorization),
      signal,
    );
    if (authorization) request.headers['Authorization'] = mask;
    const secrets = [...secretValues(kind, settings), authorization];
    redactRequest(request, secrets);
    // some receivers answer with what they were sent
    response.body = redactSecrets(response.body, secrets);
    const succeeded = response.status >= 200 && response.status < 300;
    const worthwhile = response.status === 0 || response.status >= 500 || response.status === 429;
    const attempts = delivery.attempts + 1;
    const isYoung = Date.now() - Number(delivery.created_at) < giveUpMs;
    const again = !succeeded && worthwhile && isYoung && attempts < this.deps.settings.MAX_ATTEMPTS;
    const failingSince = succeeded || !worthwhile ? 0 : Number(hook.failing_since) || Date.now();
    const wasUnwell = Number(hook.failing_since) > 0 && Date.now() - Number(hook.failing_since) > orderMs;
    const isUnwell = failingSince > 0 && wasUnwell;
    // an answer of its own (500) is about this delivery: others need not wait for it
    const overtaken = again && (Boolean(delivery.overtaken) || isUnwell || !isUnavailable(response.status));
    const next = again ? Date.now() + pauseAfter(attempts) : undefined;
    request.url = splitAddress(request.url).url;
    await this.keep(
      delivery,
      again ? 'waiting' : succeeded ? 'succeeded' : 'failed',
      request,
      response,
      // an answer that refuses this delivery says nothing against the next
      failingSince,
      next,
      overtaken,
    );
    if (wasUnwell && !isUnwell) await this.#resume(hook.id);
    if (!succeeded && !again)
      log.info('webhook delivery failed', {
        event: 'webhook.failed',
        hookId: hook.id,
        deliveryId,
        status: response.status,
        error: response.error,
      });
    if (next !== undefined) return { retryAt: next, overtaken, ...(isUnwell && { failingSince: failingSince }) };
    const isDead = worthwhile && !succeeded && (isUnwell || (!isYoung && !delivery.overtaken));
    return isDead ? { isDead } : undefined;
  }

  /** The secret that was replaced, as long as it counts. */
  private previousOf({ previous_secret: sealed, previous_until: until }: HookRow): { previousSecret?: string } {
    return sealed && Number(until) > Date.now() ? { previousSecret: this.deps.encryption.decrypt(sealed) } : {};
  }

  /** The password of the hook's address goes to no other place that a kind makes up. */
  private passwordFor(hook: HookRow, url: string): string {
    return URL.canParse(url) && new URL(url).origin === new URL(hook.url).origin
      ? this.deps.encryption.decrypt(hook.url_password)
      : '';
  }

  /** The kernel checks every address on the way, and drops the authorization where a redirect leaves the host (HOK-25). */
  private async exchange(request: SentRequest, authorization: string, signal: AbortSignal): Promise<ReceivedResponse> {
    const { outbound, settings } = this.deps;
    const started = Date.now();
    try {
      const init = {
        method: request.method,
        headers: { ...request.headers, ...(authorization ? { Authorization: authorization } : {}) },
        ...(request.method === 'GET' ? {} : { body: request.body }),
        timeoutMs: settings.DELIVER_TIMEOUT * 1000,
        skipTlsVerify: settings.SKIP_TLS_VERIFY,
        ...(this.deps.certificates ? { certificates: this.deps.certificates } : {}),
        signal,
        ...(settings.ALLOWED_HOST_LIST ? { allowedHosts: settings.ALLOWED_HOST_LIST } : {}),
        ...(settings.PROXY_URL ? { proxy: settings.PROXY_URL } : {}),
      };
      return await outbound.stream(request.url, init, async ({ status, headers, body }) => ({
        status,
        headers,
        body: await beginningOf(body),
        took: Date.now() - started,
      }));
    } catch (error) {
      return failed((error as Error).message || 'the receiver could not be reached', Date.now() - started);
    }
  }

  /** The receiver is well again: what was overtaken while it was not is sent now, the oldest first. */
  async #resume(hookId: number): Promise<void> {
    const { database } = this.deps;
    await database.write(() =>
      database
        .query(DeliveryRow)
        .patch({ next_attempt_at: 0 })
        .where({ hook_id: hookId, state: 'waiting', overtaken: true }),
    );
  }

  private async keep(
    delivery: DeliveryRow,
    state: DeliveryState,
    request: SentRequest | null,
    response: ReceivedResponse | null,
    failingSince?: number,
    nextAttempt = 0,
    overtaken = false,
  ): Promise<undefined> {
    const { database } = this.deps;
    await database.write(async () => {
      await database
        .query(DeliveryRow)
        .patch({
          state,
          request,
          response,
          attempts: delivery.attempts + 1,
          delivered_at: Date.now(),
          lease_until: 0,
          next_attempt_at: nextAttempt,
          overtaken,
        })
        .where('id', delivery.id);
      if (state !== 'skipped') {
        await database
          .query(HookRow)
          .patch({
            last_status: state === 'succeeded' ? 'succeeded' : 'failed',
            ...(failingSince === undefined ? {} : { failing_since: failingSince }),
          })
          .where('id', delivery.hook_id);
      }
    });
  }
}

const failed = (error: string, took: number): ReceivedResponse => ({ status: 0, headers: {}, body: '', error, took });

/** What is stored of an answer. Its status has said what became of the delivery: a body that is long or breaks off changes nothing. */
async function beginningOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxStoredBytes) break;
    }
  } catch {
    // whatever has come so far is shown
  }
  return Buffer.concat(chunks).subarray(0, maxStoredBytes).toString('utf8');
}
