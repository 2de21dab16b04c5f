import { anonymous, Invalid, NotFound } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { TimelineKind } from '@mortise/issues/api';
import { ReviewCommentRow } from '../models/review-comment.js';
import { ReviewRow } from '../models/review.js';
import type { Database } from '@mortise/plugin-sdk';
import type { ReviewPresenter } from './review-presenter.js';
import { ReviewReader } from './review-reader.js';
import type { ReviewServices } from './services.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly presenter: ReviewPresenter;
}

const idOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/**
 * A review as an entry of the timeline; what it says is its text. On a server that was taken over, one that was sent twice
 * has a second entry, whose subject it is.
 */
export const reviewKind = ({ database }: Pick<Deps, 'database'>): TimelineKind => ({
  key: 'review',
  isContribution: true,
  isLiveUpdate: true,
  texts: (entries) => Promise.resolve(new Map(entries.map(({ id, body }) => [id, body]))),
  async fields(entries) {
    const rows = await database
      .query(ReviewRow)
      .select('id', 'entry_id')
      .whereIn('issue_id', [...new Set(entries.map(({ issueId }) => issueId))])
      .whereIn(
        'entry_id',
        entries.map(({ id }) => id),
      );
    const ids = new Map(rows.map((row) => [row.entry_id, row.id]));
    return new Map(entries.map(({ id, subjectId }) => [id, { review_id: ids.get(id) ?? subjectId }]));
  },
});

export const dismissKind: TimelineKind = {
  key: 'dismiss_review',
  fields: (entries) => Promise.resolve(new Map(entries.map(({ id, subjectId }) => [id, { review_id: subjectId }]))),
};

interface CodeDeps extends Pick<Deps, 'database'> {
  readonly reviewServices: Pick<ReviewServices, 'comments' | 'reader'>;
}

/** Comments on lines stand below their review. */
export const codeKind = ({ database, reviewServices: { comments, reader } }: CodeDeps): TimelineKind => ({
  key: 'code',
  isHidden: true,
  isAboutCode: true,
  written: {
    async texts(entries) {
      const comments = await reader.commentsByIds(entries.map(({ id }) => id));
      return new Map(comments.map(({ id, body, updatedAt }) => [id, { body, updatedAt }]));
    },
    async isVisible({ subjectId }, { context }, actor) {
      const review = context.may('read', 'code') ? await reader.byId(subjectId) : undefined;
      return review !== undefined && ReviewReader.isVisible(review, actor);
    },
    async edit({ id }, context, body, actor) {
      if (!body.trim()) throw Invalid(t.later('error.noWords'));
      const comment = await reader.comment(id);
      if (!comment) throw NotFound('comment');
      await comments.edit(context, comment, body, actor);
    },
    async delete({ id }, { issue }, actor) {
      const comment = await reader.comment(id);
      if (!comment) throw NotFound('comment');
      await comments.delete(issue, comment, actor);
    },
  },
  /** Of reviews that were sent. */
  async texts(entries) {
    const rows = await database
      .query(ReviewCommentRow)
      .select('review_comment.entry_id', 'review_comment.body')
      .join('review', 'review.id', 'review_comment.review_id')
      .whereIn(
        'review_comment.entry_id',
        entries.map(({ id }) => id),
      )
      .whereNot('review.state', 'pending');
    return new Map(rows.map((row) => [row.entry_id, row.body]));
  },
});

export const requestKind = ({ accounts, presenter }: Omit<Deps, 'database'>): TimelineKind => ({
  key: 'review_request',
  async fields(entries, { actor }) {
    const [users, teams] = await Promise.all([
      accounts.byIds(entries.map(({ subjectId }) => subjectId).filter(Boolean)),
      presenter.teamModels(
        entries.map(({ data }) => idOf(data.teamId)),
        actor,
      ),
    ]);
    return new Map(
      entries.map(({ id, subjectId, data }) => {
        const account = users.get(subjectId);
        const user = account ? accounts.toApiUser(account, anonymous) : accounts.ghost();
        const fields = {
          assignee: subjectId ? user : null,
          assignee_team: teams.get(idOf(data.teamId)) ?? null,
          removed_assignee: data.removed === true,
        };
        return [id, fields] as const;
      }),
    );
  },
});
