import { randomUUID } from 'node:crypto';
import type { CreateHookOption, Hook, HookEvent, HookOwner } from '../contract/webhooks.js';
import type { SentRequest } from '../models/delivery.js';
import { splitAddress } from './hook-address.js';
import { redactRequest, mask } from './redaction.js';
import type { HookService } from './hook-service.js';
import type { Kinds } from './webhook-kinds.js';
import { secretValues } from './kind-settings.js';

/**
 * What a hook would send for an event: nothing is stored or sent, and nothing secret is shown. Undefined: its kind has
 * nothing to say about it. Throws what making the hook would.
 */
export async function previewRequest(
  { hooks, kinds }: { readonly hooks: HookService; readonly kinds: Kinds },
  event: HookEvent,
  { owner, option, hook }: { readonly owner: HookOwner; readonly option: CreateHookOption; readonly hook?: Hook },
): Promise<SentRequest | undefined> {
  const kind = kinds.need(option.type);
  const draft = hooks.draft(owner, option, hook);
  const payload = await event.payload();
  const description = await event.describe?.();
  const made =
    payload &&
    (await kind.request({
      id: randomUUID(),
      event: event.event ?? event.eventType,
      eventType: event.eventType,
      payload,
      ...(description && { description }),
      hook: draft.hook,
      secret: draft.secret,
      sentAt: Date.now(),
    }));
  if (!made) return undefined;
  const request: SentRequest = {
    method: made.method ?? draft.hook.method,
    url: splitAddress(made.url ?? draft.hook.url).url,
    headers: { ...made.headers, ...(option.authorization_header && { Authorization: mask }) },
    body: made.body,
  };
  redactRequest(request, secretValues(kind, draft.hook.settings));
  return request;
}
