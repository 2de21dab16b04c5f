import type { Database, Events } from '@mortise/plugin-sdk';
import type { Notifications } from '@mortise/notifications/api';
import type { Repositories } from '@mortise/repositories/api';
import { projectCardChanged } from '../api.js';
import { CardRow } from '../models/card.js';
import { ProjectRow } from '../models/project.js';
import { projectSubject } from '../services/account-subjects.js';
import type { ProjectServices } from '../services/services.js';

interface Deps {
  readonly database: Database;
  readonly events: Events;
}

/** Ids that one statement names. */
const perStatement = 500;

/** Boards of an account go with it, in the same transaction. */
export const deleteOfAccount = async (
  userId: number,
  deps: { readonly services: ProjectServices; readonly notifications: Notifications | undefined },
): Promise<void> => {
  const { services, notifications } = deps;
  const projectIds = await services.reader.idsOfOwner(userId);
  for (let first = 0; notifications && first < projectIds.length; first += perStatement)
    await notifications.forgetSubjects(projectSubject, projectIds.slice(first, first + perStatement));
  await services.projects.deleteOfOwner(userId);
  await services.presence.forget(userId);
  await services.subscriptions.forget(userId);
};

/** Issues that go leave the boards that they stand on. */
export async function removeDeletedIssues(
  { issueIds }: { readonly issueIds: readonly number[] },
  { database, events }: Deps,
): Promise<void> {
  const cards: CardRow[] = [];
  for (let first = 0; first < issueIds.length; first += perStatement)
    cards.push(...(await database.query(CardRow).whereIn('issue_id', issueIds.slice(first, first + perStatement))));
  cards.sort((one, other) => one.project_id - other.project_id);
  await removeCards(cards, { database, events });
}

/** A repository that another account has now leaves the boards of the account that had it. */
export async function leaveOwnerProjects(
  { repositoryId, from, to }: { readonly repositoryId: number; readonly from: string; readonly to: string },
  { database, events, repositories }: Deps & { readonly repositories: Pick<Repositories, 'byId'> },
): Promise<void> {
  const ownerOf = (path: string) => path.split('/')[0]!.toLowerCase();
  const repository = ownerOf(from) === ownerOf(to) ? undefined : await repositories.byId(repositoryId);
  if (!repository) return;
  const cards = await database
    .query(CardRow)
    .select('project_card.*')
    .join('issue', 'issue.id', 'project_card.issue_id')
    .join('project', 'project.id', 'project_card.project_id')
    .where('issue.repository_id', repositoryId)
    .whereNull('project.repository_id')
    .whereNot('project.owner_id', repository.ownerId)
    .orderBy('project_card.project_id');
  await removeCards(cards, { database, events });
}

async function removeCards(cards: readonly CardRow[], { database, events }: Deps): Promise<void> {
  if (!cards.length) return;
  const projectIds = [...new Set(cards.map((card) => card.project_id))];
  const at = Date.now();
  const rows = await database.query(ProjectRow).whereIn('id', projectIds);
  const boards = new Map(rows.map((row) => [row.id, row]));
  await database.query(ProjectRow).whereIn('id', projectIds).increment('revision', 1);
  for (let first = 0; first < cards.length; first += perStatement)
    await database
      .query(CardRow)
      .delete()
      .whereIn(
        'id',
        cards.slice(first, first + perStatement).map(({ id }) => id),
      );
  for (const card of cards)
    await events.emit(projectCardChanged, {
      projectId: card.project_id,
      repositoryId: boards.get(card.project_id)?.repository_id ?? 0,
      ownerId: boards.get(card.project_id)?.owner_id ?? 0,
      cardId: card.id,
      issueId: card.issue_id,
      columnId: card.column_id,
      action: 'deleted',
      actorId: 0,
      at,
    });
}
