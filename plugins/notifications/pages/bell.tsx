import { formatNumber, icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Inbox } from '../services/inbox.js';
import { t } from '../texts/index.js';

/** The way to the inbox on every page, with the number of what is unread there. */
export function bellSlot(inbox: Inbox, site: Site): Slot<{ actor: Actor }> {
  return {
    key: 'notifications',
    order: 50,
    async render({ actor }): Promise<VNode | null> {
      if (actor.kind !== 'user') return null;
      return <Bell href={site.path('/notifications')} count={await inbox.unread(actor)} />;
    },
  };
}

/** Scripts keep it current: they write the number into `data-unread` and the label into `aria-label`. */
const Bell = ({ href, count }: { readonly href: string; readonly count: number }): VNode => (
  <a
    class="site-button no-underline"
    href={href}
    aria-label={t('bell.label', { count })}
    title={t('inbox.title')}
    data-notifications={count}
  >
    {icon('bell')}
    <span class="Counter" aria-hidden="true" data-unread>
      {count > 0 ? formatNumber(count) : ''}
    </span>
  </a>
);
