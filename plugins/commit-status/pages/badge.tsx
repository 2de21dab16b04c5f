import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { CommitBadges } from '@mortise/history/api';
import {
  combineStates,
  statusLink,
  type CommitStatus,
  type CommitStatuses,
  type StatusState,
} from '../contract/commit-status.js';
import { describeStatus } from '../services/descriptions.js';
import { t } from '../texts/index.js';

const appearances: Readonly<Record<StatusState, { icon: string; colour: string }>> = {
  success: { icon: 'check', colour: 'color-fg-success' },
  pending: { icon: 'dot-fill', colour: 'color-fg-attention' },
  failure: { icon: 'x', colour: 'color-fg-danger' },
  error: { icon: 'x', colour: 'color-fg-danger' },
  warning: { icon: 'alert', colour: 'color-fg-attention' },
  skipped: { icon: 'skip', colour: 'color-fg-muted' },
};

const sentence = (statuses: readonly CommitStatus[]): string => {
  const bad = statuses.filter(({ state }) => state === 'failure' || state === 'error').length;
  const waiting = statuses.filter(({ state }) => state === 'pending').length;
  const count = statuses.length;
  if (bad) return t('checks.failed', { bad, count });
  if (waiting) return t('checks.pending', { waiting, count });
  return t('checks.passed', { count });
};

function Line({ status }: { status: CommitStatus }): VNode {
  const appearance = appearances[status.state];
  const link = statusLink(status);
  const context = status.context || t('checks.defaultContext');
  return (
    <li class="Box-row py-2 d-flex flex-items-start">
      <span class={`mr-2 ${appearance.colour}`}>{icon(appearance.icon, { label: t(`state.${status.state}`) })}</span>
      <span class="flex-auto wb-break-word min-width-0">
        <strong>{context}</strong>
        {status.description ? <span class="color-fg-muted"> {describeStatus(status)}</span> : null}
      </span>
      {link ? (
        <a
          class="ml-2 flex-shrink-0"
          href={link}
          rel="nofollow noopener noreferrer"
          aria-label={t('checks.detailsOf', { context })}
        >
          {t('checks.details')}
        </a>
      ) : null}
    </li>
  );
}

/** Beside the mark on wide screens, at the lower edge of narrow ones. */
const listPosition =
  'position-fixed position-md-absolute bottom-0 bottom-md-auto left-0 left-md-auto right-0 m-3 m-md-0 status-list';

/** The state of a commit's checks as a small sign that opens to their list. */
function StatusIcon({ statuses }: { statuses: readonly CommitStatus[] }): VNode {
  const appearance = appearances[combineStates(statuses.map(({ state }) => state))];
  return (
    <details class="details-reset d-inline-block position-relative">
      <summary
        class={appearance.colour}
        aria-label={t('checks.label', { summary: sentence(statuses) })}
        title={sentence(statuses)}
      >
        {icon(appearance.icon)}
      </summary>
      <div class={`Box color-shadow-large text-left f5 ${listPosition}`}>
        <div class="Box-header py-2 text-bold">{sentence(statuses)}</div>
        <ul class="list-style-none">
          {statuses.map((status) => (
            <Line key={status.id} status={status} />
          ))}
        </ul>
      </div>
    </details>
  );
}

export const commitBadge = (statuses: CommitStatuses): CommitBadges => ({
  key: 'checks',
  order: 20,
  async badges({ repository }, oids) {
    const statusesByCommit = await statuses.latest(repository.id, oids);
    return new Map([...statusesByCommit].map(([oid, list]) => [oid, <StatusIcon statuses={list} />]));
  },
});
