import type { VNode } from 'preact';
import { Ago } from '@mortise/plugin-sdk';
import type { TimelineEntry, TimelineKind, TimelinePageView } from '@mortise/issues/api';
import { dequeueReasons, type DequeueReason } from '../contract/merge-queue.js';
import { t } from '../texts/index.js';

interface SentenceProps {
  readonly entry: TimelineEntry;
  readonly view: TimelinePageView;
}

const reasonOf = ({ data }: TimelineEntry): DequeueReason =>
  dequeueReasons.find((one) => one === data.reason) ?? 'removed';

function Sentence({ entry, view }: SentenceProps): VNode {
  const when = <Ago time={entry.createdAt} />;
  if (entry.kind === 'merge_queue_add')
    return <>{t.rich('line.added', { name: view.userLink(entry.actorId), when })}</>;
  const reason = reasonOf(entry);
  return reason === 'removed' ? (
    <>{t.rich('line.removed', { name: view.userLink(entry.actorId), when })}</>
  ) : (
    <>{t.rich('line.left', { reason: <>{t(`reason.${reason}`)}</>, when })}</>
  );
}

const lines: NonNullable<TimelineKind['lines']> = (entries, view) =>
  Promise.resolve(
    new Map(entries.map((entry) => [entry.id, { icon: 'list-ordered', text: <Sentence entry={entry} view={view} /> }])),
  );

/** What the timeline says of queues. */
export const queueKinds: readonly TimelineKind[] = [
  { key: 'merge_queue_add', lines },
  {
    key: 'merge_queue_remove',
    lines,
    fields: (entries) => Promise.resolve(new Map(entries.map((entry) => [entry.id, { reason: reasonOf(entry) }]))),
  },
];
