import type { VNode } from 'preact';
import { Ago } from '@mortise/plugin-sdk';
import type { TimelineEntry, TimelineKind, TimelinePageView } from '@mortise/issues/api';
import { t } from '../texts/index.js';

/** Kinds of entries that tell of time. */
const timeKinds = [
  'start_tracking',
  'cancel_tracking',
  'add_time_manual',
  'stop_tracking',
  'delete_time_manual',
] as const;
type Kind = (typeof timeKinds)[number];

const Sentence = ({ kind, entry, view }: { kind: Kind; entry: TimelineEntry; view: TimelinePageView }): VNode => (
  <>
    {t.rich(`line.${kind}`, {
      name: view.userLink(entry.actorId),
      when: <Ago time={entry.createdAt} />,
      time: entry.body,
    })}
  </>
);

/** How pages show them. */
export const linesOf = (kind: Kind): Pick<TimelineKind, 'lines'> => ({
  lines: async (entries, view) =>
    new Map(
      entries.map((entry) => [
        entry.id,
        { icon: 'stopwatch', text: <Sentence kind={kind} entry={entry} view={view} /> },
      ]),
    ),
});
