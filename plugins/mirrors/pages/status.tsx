import type { VNode } from 'preact';
import { Ago, formatDate, icon } from '@mortise/plugin-sdk';
import type { MirrorRow } from '../models/pull-mirror.js';
import type { PushMirrorRow } from '../models/push-mirror.js';
import { shortInterval } from '../services/interval.js';
import { t } from '../texts/index.js';

/** When it runs. */
export function Schedule({ row }: { readonly row: MirrorRow }): VNode {
  const interval = Number(row.interval);
  const next = Number(row.next_run_at);
  const { sync_on_commit: followsCommits } = row as Partial<PushMirrorRow>;
  const details = [
    interval ? t('state.interval', { interval: shortInterval(interval) }) : '',
    followsCommits ? t('state.onCommit') : '',
    row.branches ? t('push.branchesOnly', { branches: row.branches }) : '',
  ].filter(Boolean);
  return (
    <span class="d-block f6 color-fg-muted">
      {details.length ? details.join(' · ') : t('state.manual')}
      {next ? <> · {t('state.next', { when: formatDate(next, 'minute') })}</> : null}
    </span>
  );
}

/** How it went. */
export function Status({ row }: { readonly row: MirrorRow }): VNode {
  const at = Number(row.last_success_at);
  return (
    <>
      <span class="d-block f6 color-fg-muted">
        {at ? t.rich('state.synced', { when: <Ago time={at} /> }) : t('state.never')}
      </span>
      {row.failures ? (
        <span class="d-block f6 color-fg-danger wb-break-word">
          {icon('alert')} {t('state.failed', { count: row.failures, error: row.last_error })}
        </span>
      ) : null}
    </>
  );
}
