import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { CommitMark } from '@mortise/contents/api';
import { combineStates, type CommitStatus, type CommitStatuses, type StatusState } from '../api.js';

const looks: Readonly<Record<StatusState, { icon: string; colour: string; words: string }>> = {
  success: { icon: 'check', colour: 'color-fg-success', words: 'successful' },
  pending: { icon: 'dot-fill', colour: 'color-fg-attention', words: 'pending' },
  failure: { icon: 'x', colour: 'color-fg-danger', words: 'failed' },
  error: { icon: 'x', colour: 'color-fg-danger', words: 'in error' },
  warning: { icon: 'alert', colour: 'color-fg-attention', words: 'successful with a warning' },
  skipped: { icon: 'skip', colour: 'color-fg-muted', words: 'skipped' },
};

/** An address that a person may be sent to; machines can write anything there. */
const safeLink = (url: string): string | undefined => (/^https?:\/\/[^\s]+$/i.test(url) ? url : undefined);

const sentence = (statuses: readonly CommitStatus[]): string => {
  const bad = statuses.filter(({ state }) => state === 'failure' || state === 'error').length;
  const waiting = statuses.filter(({ state }) => state === 'pending').length;
  const checks = (count: number) => `${count} ${count === 1 ? 'check' : 'checks'}`;
  if (bad) return `${checks(bad)} of ${statuses.length} failed`;
  if (waiting) return `${checks(waiting)} of ${statuses.length} not finished`;
  return statuses.length === 1 ? 'The check was successful' : `All ${statuses.length} checks were successful`;
};

function Line({ status }: { status: CommitStatus }): VNode {
  const look = looks[status.state];
  const link = safeLink(status.targetUrl);
  return (
    <li class="Box-row py-2 d-flex flex-items-start">
      <span class={`mr-2 ${look.colour}`}>{icon(look.icon, { label: look.words })}</span>
      <span class="flex-auto" style="min-width: 0; overflow-wrap: anywhere">
        <strong>{status.context || 'default'}</strong>
        {status.description ? <span class="color-fg-muted"> {status.description}</span> : null}
      </span>
      {link ? (
        <a class="ml-2 flex-shrink-0" href={link} rel="nofollow noopener noreferrer">
          Details<span class="sr-only"> of {status.context || 'default'}</span>
        </a>
      ) : null}
    </li>
  );
}

/** Beside the mark on wide screens, at the lower edge of narrow ones. */
const listPlace = 'position-fixed position-md-absolute bottom-0 bottom-md-auto left-0 left-md-auto right-0 m-3 m-md-0';
const listStyle = 'z-index: 30; width: min(340px, 100vw - 32px); max-height: 320px; overflow: auto';

/** The state of a commit's checks as a small sign that opens to their list. */
export function StatusMark({ statuses }: { statuses: readonly CommitStatus[] }): VNode {
  const look = looks[combineStates(statuses.map(({ state }) => state))];
  return (
    <details class="details-reset d-inline-block position-relative">
      <summary class={look.colour} aria-label={`Checks: ${sentence(statuses)}`} title={sentence(statuses)}>
        {icon(look.icon)}
      </summary>
      <div class={`Box color-shadow-large text-left f5 ${listPlace}`} style={listStyle}>
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

export const commitMark = (statuses: CommitStatuses): CommitMark => ({
  key: 'checks',
  order: 20,
  async marks({ repository }, oids) {
    const found = await statuses.latest(repository.id, oids);
    return new Map([...found].map(([oid, list]) => [oid, <StatusMark statuses={list} />]));
  },
});
