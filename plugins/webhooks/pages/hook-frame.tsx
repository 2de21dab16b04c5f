import type { ComponentChildren, VNode } from 'preact';
import { formatDate, icon, PostButton, Section, Tabs } from '@mortise/plugin-sdk';
import type { Hook } from '../contract/webhooks.js';
import type { DeliveryHistory } from '../services/delivery-history.js';
import type { Kinds } from '../services/webhook-kinds.js';
import { t } from '../texts/index.js';
import type { HookPageContext } from './level-pages.js';

const When = ({ time }: { time: number }): VNode => (
  <time dateTime={new Date(time).toISOString()}>{formatDate(time, 'full')}</time>
);

interface TroubleProps {
  readonly pageContext: HookPageContext;
  readonly hook: Hook;
  /** Deliveries that wait, and when the oldest is tried again (0: soon). */
  readonly waiting: number;
  readonly nextAttempt: number;
  /** Deliveries that are tried again and that later ones have overtaken. */
  readonly overtaken: number;
}

/** What of the deliveries of a hook does not get through. */
export const troubleOf = async (
  history: DeliveryHistory,
  hook: Hook,
): Promise<Pick<TroubleProps, 'waiting' | 'nextAttempt' | 'overtaken'>> => ({
  ...(hook.failingSince ? await history.queue(hook.id) : { waiting: 0, nextAttempt: 0 }),
  overtaken: await history.overtaken(hook.id),
});

/** Said while the receiver takes nothing, or not everything. */
export const Trouble = ({ pageContext, hook, waiting, nextAttempt, overtaken }: TroubleProps): VNode => (
  <>
    {hook.failingSince ? (
      <div class="flash flash-warn mb-3" role="status">
        <p>
          {t.rich('trouble.since', { time: <When time={hook.failingSince} /> })}{' '}
          {waiting > 0 ? t('trouble.waiting', { count: waiting }) : null}{' '}
          {waiting > 0 && nextAttempt > 0 ? t.rich('trouble.next', { time: <When time={nextAttempt} /> }) : null}
        </p>
        {waiting > 0 ? (
          <PostButton action={`${pageContext.base}/${hook.id}/wake`} class="btn">
            {icon('sync')} {t('trouble.now')}
          </PostButton>
        ) : null}
      </div>
    ) : null}
    {overtaken > 0 ? (
      <p class="flash flash-warn mb-3" role="status">
        {t('trouble.overtaken', { count: overtaken })}
      </p>
    ) : null}
  </>
);

interface HookFrameProps {
  readonly pageContext: HookPageContext;
  readonly hook: Hook;
  readonly kinds: Kinds;
  readonly active: 'settings' | 'deliveries';
  readonly children: ComponentChildren;
}

/** A webhook with its two pages: what it is set to, and what it has sent. */
export const HookFrame = ({ pageContext, hook, kinds, active, children }: HookFrameProps): VNode => {
  const address = `${pageContext.base}/${hook.id}`;
  return (
    <Section
      title={
        <>
          {icon(kinds.find(hook.kind)?.icon ?? 'webhook', { size: 24 })} {hook.name || hook.url}
        </>
      }
    >
      <Tabs
        label={t('form.page')}
        active={active}
        entries={[
          { key: 'settings', label: t('tabs.settings'), href: address, icon: 'gear' },
          { key: 'deliveries', label: t('tabs.deliveries'), href: `${address}/deliveries`, icon: 'history' },
        ]}
      />
      {children}
    </Section>
  );
};
