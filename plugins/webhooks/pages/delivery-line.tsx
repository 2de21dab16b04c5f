import type { VNode } from 'preact';
import { Ago, icon } from '@mortise/plugin-sdk';
import type { DeliverySummary } from '../services/delivery-history.js';
import { t } from '../texts/index.js';

const marks = {
  waiting: ['clock', 'attention'],
  succeeded: ['check-circle-fill', 'success'],
  failed: ['x-circle-fill', 'danger'],
  skipped: ['skip', 'muted'],
} as const;
const labels = { attention: 'attention', success: 'success', danger: 'danger', muted: 'secondary' } as const;

/** The status of the answer; where there is none, why. */
function statusOf({ state, status }: DeliverySummary): string {
  if (status > 0) return String(status);
  return state === 'failed' ? t('deliveries.noAnswer') : t(`state.${state}`);
}

/** A delivery in one line: how it went, of what, with which answer, in which time, and when. */
export function DeliveryLine({ delivery }: { delivery: DeliverySummary }): VNode {
  const [name, colour] = marks[delivery.state];
  return (
    <>
      <span class={`color-fg-${colour}`}>{icon(name, { label: t(`state.${delivery.state}`) })}</span>
      <span class="list-main text-mono">{delivery.event_type}</span>
      <span class={`Label Label--${labels[colour]}`}>{statusOf(delivery)}</span>
      <span class="color-fg-muted text-small">
        {delivery.took > 0 ? `${t('deliveries.took', { took: delivery.took })} · ` : null}
        <Ago time={Number(delivery.created_at)} />
      </span>
    </>
  );
}
