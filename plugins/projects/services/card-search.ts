import { toId, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issue, Issues, IssueSearch } from '@mortise/issues/api';
import type { Project, ProjectCard } from '../contract/projects.js';
import { CardRow, toCard } from '../models/card.js';

/** What narrows the cards of a board, as the list of issues is narrowed; empty: does not. */
export interface CardFilter {
  readonly q: string;
  readonly state: '' | 'open' | 'closed';
  /** Name of a label. */
  readonly label: string;
  /** Title of a milestone, or `none`. */
  readonly milestone: string;
  /** Name of an account, or `none`. */
  readonly assignee: string;
}

export const isFiltered = (filter: CardFilter): boolean => Object.values(filter).some(Boolean);

/** Cards that a narrowed board shows. */
const maxFound = 1000;
const none = 'none';

interface Deps {
  readonly accounts: Pick<Accounts, 'byName'>;
  readonly database: Database;
  readonly issues: Pick<Issues, 'search'>;
}

/** Finds cards of a board by what their issues say, and issues that could become cards; those that the actor may read. */
export class CardSearch {
  constructor(private readonly deps: Deps) {}

  /** In their order, with the issues by their ids. */
  async cards(
    project: Pick<Project, 'id'>,
    filter: CardFilter,
    actor: Actor,
  ): Promise<{ readonly cards: readonly ProjectCard[]; readonly issues: readonly Issue[]; readonly total: number }> {
    const { database, issues } = this.deps;
    const search = await this.#searchOf(filter);
    if (!search) return { cards: [], issues: [], total: 0 };
    const among = CardRow.query().select('issue_id').where({ project_id: project.id, is_archived: false });
    const results = await issues.search({ ...search, among, limit: maxFound, offset: 0 }, actor);
    const rows = results.items.length
      ? await database
          .query(CardRow)
          .where({ project_id: project.id, is_archived: false })
          .whereIn(
            'issue_id',
            results.items.map(({ id }) => id),
          )
          .orderBy('position')
          .orderBy('id')
      : [];
    return { cards: rows.map(toCard), issues: results.items, total: results.total };
  }

  /** Issues that could stand on the board and do not stand on it, the newest first. */
  async candidates(project: Project, text: string, actor: Actor, limit: number): Promise<Issue[]> {
    const present = CardRow.query().select('issue_id').where('project_id', project.id);
    const among = CardRow.query().from('issue').select('issue.id').whereNotIn('issue.id', present);
    const home = project.repositoryId ? { repositoryId: project.repositoryId } : { ownerId: project.ownerId };
    const { items } = await this.deps.issues.search({ ...home, among, ...(text && { text }), limit, offset: 0 }, actor);
    return items;
  }

  /** Undefined where somebody is named who does not exist. */
  async #searchOf({ q, state, label, milestone, assignee }: CardFilter): Promise<Partial<IssueSearch> | undefined> {
    const account = assignee && assignee !== none ? await this.deps.accounts.byName(assignee) : undefined;
    if (assignee && assignee !== none && !account) return undefined;
    return {
      ...(q && { text: q }),
      ...(state && { isClosed: state === 'closed' }),
      ...(label && { labels: [label] }),
      ...(milestone === none ? { milestoneId: 0 } : milestone && { milestones: [milestone] }),
      ...(assignee && { assigneeId: account?.id ?? 0 }),
    };
  }
}

/** The issue that an address names: `#12` or `12` in the repository of the board, `owner/name#12`, or that of its page. */
export function readAddress(
  text: string,
  home: { readonly owner: string; readonly repo: string } | undefined,
): { readonly owner: string; readonly repo: string; readonly index: number } | undefined {
  const [, owner = home?.owner, repo = home?.repo, digits] =
    /^(?:.*?([\w.-]+)\/([\w.-]+?)(?:\/(?:issues|pulls)\/|#))?#?(\d{1,9})(?:[/?#].*)?$/.exec(text) ?? [];
  const index = toId(digits);
  return owner && repo && index ? { owner, repo, index } : undefined;
}
