import type { Actor, ChannelKind } from '@mortise/plugin-sdk';
import { unitOf, type IssueEvent } from '@mortise/issues/api';
import { boardChannel } from '../services/viewers.js';
import type { ProjectServices } from '../services/services.js';

interface BoardUpdate {
  readonly projectId: number;
  /** What changed is the card of this issue alone. */
  readonly issueId?: number;
}

/** True of an issue that is gone: there is nothing to hide any more. */
async function mayReadIssue(actor: Actor, issueId: number, { deps }: ProjectServices): Promise<boolean> {
  const { issues, repositories, repositoryAccess } = deps;
  const issue = await issues.byId(issueId);
  const repository = issue && (await repositories.byId(issue.repositoryId));
  if (!issue || !repository) return true;
  const context = (await repositoryAccess.contexts(actor, [repository])).get(repository.id);
  return context?.may('read', unitOf(issue)) ?? false;
}

/** Open pages of a board hear that something changed that they may see, and read anew what they may see of it. */
export const boardUpdates = ({ services }: { readonly services: ProjectServices }): ChannelKind<BoardUpdate> => ({
  key: boardChannel,
  async authorize(actor, { projectId, issueId }) {
    const project = await services.reader.byId(projectId);
    const place = project && (await services.places.ofProject(actor, project));
    if (!place?.may('read')) return false;
    return issueId === undefined || mayReadIssue(actor, issueId, services);
  },
  message: (_actor, { projectId }) => ({ eventType: boardChannel, eventData: { project_id: projectId } }),
});

/** With each change of a board, its columns and its cards. */
export const refreshOpenPages = async (
  { projectId, issueId }: BoardUpdate,
  { services }: { readonly services: ProjectServices },
): Promise<void> => services.viewers.notify(projectId, issueId);

/** What cards show of their issues, beside moves by rules, which are changes of the board. */
const shownActions: readonly string[] = [
  'edited',
  'closed',
  'reopened',
  'assigned',
  'unassigned',
  'label_updated',
  'label_cleared',
  'milestoned',
  'demilestoned',
] satisfies IssueEvent['action'][];
export const changesCards = ({ action }: IssueEvent): boolean => shownActions.includes(action);

/** With each change of an issue that its cards show. */
export const refreshBoardsOfIssue = async (
  { issueId }: IssueEvent,
  { services }: { readonly services: ProjectServices },
): Promise<void> => services.viewers.notifyOfIssue(issueId);
