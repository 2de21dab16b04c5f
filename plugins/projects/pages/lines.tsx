import type { VNode } from 'preact';
import { Ago } from '@mortise/plugin-sdk';
import type { TimelineEntry, TimelineKind, TimelinePageView } from '@mortise/issues/api';
import { projectOfEntry, visibleProjects, type ProjectEntryData } from '../services/timeline-kinds.js';
import type { ProjectServices } from '../services/services.js';
import { t } from '../texts/index.js';

interface SentenceProps {
  readonly entry: TimelineEntry;
  readonly view: TimelinePageView;
  /** Undefined: the board is gone. */
  readonly board?: { readonly title: string; readonly href: string };
}

const sentenceOf = (kind: string, { projectId, rule }: ProjectEntryData) => {
  if (!projectId) return 'line.removed' as const;
  if (kind === 'project') return rule ? ('line.addedByRule' as const) : ('line.added' as const);
  return rule ? ('line.movedByRule' as const) : ('line.moved' as const);
};

function Sentence({ entry, view, board }: SentenceProps): VNode {
  const data = entry.data as unknown as ProjectEntryData;
  return (
    <>
      {t.rich(sentenceOf(entry.kind, data), {
        name: view.userLink(entry.actorId),
        when: <Ago time={entry.createdAt} />,
        column: board ? (data.column ?? '') : t('line.deletedColumn'),
        project: board ? (
          <a class="text-bold Link--primary wb-break-word" href={board.href} dir="auto">
            {board.title}
          </a>
        ) : (
          t('line.deletedProject')
        ),
      })}
    </>
  );
}

/** How conversations tell of boards; of one that is gone, and may have been secret, without its title and those of its columns. */
export const projectLines = ({ reader, scopes, presenter, deps }: ProjectServices): Pick<TimelineKind, 'lines'> => ({
  async lines(entries, view) {
    const boards = await visibleProjects(entries, view.actor, { reader, scopes });
    return new Map(
      entries.flatMap((entry) => {
        const visible = boards.get(projectOfEntry(entry));
        if (visible === 'hidden') return [];
        const board = visible && {
          title: visible.project.title,
          href: deps.site.path(presenter.path(visible.project, visible.scope)),
        };
        const text = <Sentence entry={entry} view={view} {...(board && { board })} />;
        return [[entry.id, { icon: 'project', text }] as const];
      }),
    );
  },
});
