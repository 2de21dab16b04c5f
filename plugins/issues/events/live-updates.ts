import type { ChannelKind, Channels } from '@mortise/plugin-sdk';
import { unitOf, type Issue } from '../api.js';
import type { IssueServices } from '../services/services.js';

/** The name of the channel, and that by which pages know the event. */
const channelKind = 'issue-news';

/** Something new in a conversation; JSON. */
interface EntryUpdate {
  readonly issueId: number;
  readonly entryId: number;
}

/** Open pages of a conversation hear that there is something new; of those alone who may read it. */
export const entryChannel = ({
  issueServices: { deps, reader },
}: {
  readonly issueServices: IssueServices;
}): ChannelKind<EntryUpdate> => ({
  key: channelKind,
  async authorize(actor, { issueId }) {
    const issue = await reader.byId(issueId);
    const repository = issue && (await deps.repositories.byId(issue.repositoryId));
    if (!issue || !repository) return false;
    return (await deps.repositoryAccess.context(actor, repository)).may('read', unitOf(issue));
  },
  message: (_actor, { issueId, entryId }) => ({
    eventType: channelKind,
    eventData: { issue_id: issueId, comment_id: entryId },
  }),
});

/** To those who follow the conversation, or watch its repository, and have a page open. */
export async function notifyPages(
  issue: Issue,
  entryId: number,
  { channels, issueServices }: { readonly channels: Channels; readonly issueServices: IssueServices },
): Promise<void> {
  const { subscriptions, deps } = issueServices;
  const [{ following }, watchers] = await Promise.all([
    subscriptions.followers(issue),
    deps.repositoryMembers.watchers(issue.repositoryId),
  ]);
  const userIds = [...new Set([...following, ...watchers])];
  if (userIds.length)
    await channels.publish(channelKind, { userIds }, { issueId: issue.id, entryId } satisfies EntryUpdate);
}
