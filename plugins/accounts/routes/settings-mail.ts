import { listHref, type PageOptions } from '@mortise/plugin-sdk';
import { isEmailAddress } from '../api.js';
import { t } from '../texts/index.js';

/** Where a form leads to, when it is not back to its page with the usual words. */
export class RedirectTo {
  constructor(readonly to: string) {}
}

export const sentTo = (email: string) => new RedirectTo(listHref('/user/settings/account', { sent: email }));

/** What happened with a mail, after {@link sentTo} and after its link. */
export function mailFlash(query: unknown): PageOptions['flash'] {
  const { sent, confirmed } = query as { readonly sent?: unknown; readonly confirmed?: unknown };
  if (typeof sent === 'string' && isEmailAddress(sent))
    return { kind: 'success', text: t.later('email.sent', { email: sent }) };
  return confirmed === undefined ? undefined : { kind: 'success', text: t.later('confirm.done') };
}
