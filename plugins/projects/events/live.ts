import type { ChannelKind } from '@mortise/plugin-sdk';
import type { IssueEvent } from '@mortise/issues/api';
import { projectChannel } from '../services/presence.js';
import type { ProjectServices } from '../services/services.js';

interface ProjectUpdate {
  readonly projectId: number;
}

/**
 * Open pages of a board hear that something changed that they may see, and read anew what they may see of it. It is
 * published to those accounts alone that may read it; credentials for public things have less.
 */
export const projectUpdates = ({ services }: { readonly services: ProjectServices }): ChannelKind<ProjectUpdate> => ({
  key: projectChannel,
  async authorize(actor, { projectId }) {
    if (!actor.publicOnly) return actor.kind === 'user';
    const project = await services.reader.byId(projectId);
    return (project && (await services.scopes.ofProject(actor, project)))?.may('read') ?? false;
  },
  message: (_actor, { projectId }) => ({ eventType: projectChannel, eventData: { project_id: projectId } }),
});

/** With each change of a board, its columns and its cards. */
export const refreshOpenPages = async (
  { projectId, issueId }: { readonly projectId: number; readonly issueId?: number },
  { services }: { readonly services: ProjectServices },
): Promise<void> => services.presence.notify(projectId, issueId);

/** What cards show of their issues, beside moves by rules, which are changes of the board. */
const cardActions: readonly string[] = [
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
export const changesCards = ({ action }: IssueEvent): boolean => cardActions.includes(action);

/** With each change of an issue that its cards show. */
export const refreshProjectsOfIssue = async (
  { issueId }: IssueEvent,
  { services }: { readonly services: ProjectServices },
): Promise<void> => services.presence.notifyOfIssue(issueId);
