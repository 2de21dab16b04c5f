import type { VNode } from 'preact';
import { Blankslate, formatDate } from '@mortise/plugin-sdk';
import type { Issue } from '@mortise/issues/api';
import type { ProjectCard } from '../contract/projects.js';
import type { BoardView } from './board.js';
import { IssueTitle, numberOf, StateIcon } from './card.js';
import { t } from '../texts/index.js';

/** Cards that a roadmap shows: those that are due first. */
export const maxOnRoadmap = 500;
const day = 86_400_000;
/** What lies further back begins at the edge. */
const maxRange = 400 * day;

interface Planned {
  readonly card: ProjectCard;
  readonly issue: Issue;
  readonly from: number;
  readonly to: number;
  /** The date is that of its milestone. */
  readonly isByMilestone: boolean;
}

/** Cards with a due date, or else with that of their milestone, in the order of these dates; from their start or opening on. */
function plannedOf({ details }: BoardView, cards: readonly ProjectCard[]): Planned[] {
  return cards
    .flatMap((card) => {
      const issue = details.issues.get(card.issueId);
      const due = issue && (issue.dueAt || (details.milestones.get(issue.milestoneId)?.dueAt ?? 0));
      if (!issue || !due) return [];
      const from = Math.min(issue.startAt || issue.createdAt, due - day);
      return [{ card, issue, from, to: due, isByMilestone: !issue.dueAt }];
    })
    .sort((one, other) => one.to - other.to || one.card.id - other.card.id);
}

/** Labels of months that fit beside each other on a tablet. */
const maxMonths = 4;

/**
 * First days of months within a range (UTC) whose labels fit: of every month, or of every second, third … where there are
 * many, and none in the last eighth, where a label would be cut off.
 */
function monthsIn(from: number, end: number): number[] {
  const first = new Date(from);
  const to = end - (end - from) / 8;
  const months: number[] = [];
  for (let month = first.getUTCMonth() + 1; ; month += 1) {
    const at = Date.UTC(first.getUTCFullYear(), month, 1);
    if (at >= to) break;
    months.push(at);
  }
  const step = Math.ceil(months.length / maxMonths);
  return months.filter((_, at) => at % step === 0);
}

export function RoadmapLayout({
  board,
  cards,
  total,
}: {
  board: BoardView;
  cards: readonly ProjectCard[];
  total: number;
}): VNode {
  const planned = plannedOf(board, cards);
  const end = Math.max(...planned.map(({ to }) => to)) + day;
  const start = Math.max(Math.min(...planned.map(({ from }) => from)), end - maxRange);
  const percent = (time: number) => Math.round(Math.max(0, Math.min(1, (time - start) / (end - start))) * 10_000) / 100;
  const undated = cards.length - planned.length;
  const now = Date.now();
  return (
    <div>
      {total > cards.length ? <p class="flash flash-warn">{t('roadmap.cut', { count: cards.length })}</p> : null}
      {planned.length ? (
        <div class="project-roadmap mb-2">
          <div class="project-months f6 color-fg-muted" aria-hidden="true">
            {monthsIn(start, end).map((month) => (
              <span key={month} style={`left:${percent(month)}%`}>
                {formatDate(month)}
              </span>
            ))}
          </div>
          <ul class="list-style-none">
            {planned.map(({ card, issue, from, to, isByMilestone }) => (
              <li class="project-plan" key={card.id}>
                <div class="min-width-0">
                  <StateIcon issue={issue} details={board.details} /> <IssueTitle issue={issue} view={board} />{' '}
                  <span class="color-fg-muted">{numberOf(issue, board)}</span>
                  <div class="f6 color-fg-muted">
                    {isByMilestone
                      ? t('roadmap.dueByMilestone', {
                          date: formatDate(to),
                          milestone: board.details.milestones.get(issue.milestoneId)?.title ?? '',
                        })
                      : t('roadmap.due', { date: formatDate(to) })}
                  </div>
                </div>
                <div class="project-track" aria-hidden="true">
                  <span
                    class={`project-bar${issue.isClosed ? ' project-bar-done' : to < now ? ' project-bar-late' : ''}`}
                    style={`left:${percent(from)}%;width:${Math.max(1, percent(to) - percent(from))}%`}
                  />
                </div>
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <Blankslate level={3} icon="calendar" title={t('roadmap.none')} />
      )}
      {undated ? <p class="f6 color-fg-muted">{t('roadmap.undated', { count: undated })}</p> : null}
    </div>
  );
}
