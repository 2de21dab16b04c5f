import { apiTime, type Site } from '@mortise/plugin-sdk';
import type { ActivityEventKind, ActivityModels, ActivityEvents, ActivityTone } from '@mortise/activity-events/api';
import type { GitReader } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import type { StatusState } from '../contract/commit-status.js';
import type { StatusService } from '../services/status-service.js';
import { t } from '../texts/index.js';

interface CreatedStatus {
  readonly statusId: number;
  readonly repositoryId: number;
  readonly sha: string;
  readonly context: string;
  readonly state: StatusState;
  readonly creatorId: number;
}

type StatusData = Pick<CreatedStatus, 'sha' | 'state'>;

export async function recordStatus(
  { statusId, repositoryId, sha, context, state, creatorId }: CreatedStatus,
  { activityEvents }: { readonly activityEvents: ActivityEvents },
): Promise<void> {
  await activityEvents.record([
    {
      id: `status:${statusId}`,
      kind: 'status',
      action: 'created',
      resource: { id: statusId, title: context, repositoryId, unit: 'code' },
      actorId: creatorId,
      data: { sha, state },
    },
  ]);
}

const tones: Readonly<Record<StatusState, ActivityTone>> = {
  pending: 'neutral',
  skipped: 'neutral',
  success: 'positive',
  warning: 'warning',
  failure: 'negative',
  error: 'negative',
};

interface KindDeps {
  readonly models: ActivityModels;
  readonly statuses: StatusService;
  readonly repositories: Repositories;
  readonly gitReader: GitReader;
  readonly site: Site;
}

/** HOK-16. */
export const statusKind = (deps: KindDeps): ActivityEventKind<StatusData> => ({
  key: 'status',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
  readsGit: true,
  async describe({ data: { sha, state }, ...one }) {
    const { repository, repositoryUrl } = await deps.models.names({ data: {}, ...one });
    const values = { context: one.resource.title, state, commit: sha.slice(0, 10), repository };
    return { title: t.later('event.line', values), url: `${repositoryUrl}/commit/${sha}`, tone: tones[state] };
  },
  async payload({ resource }) {
    const { models, repositories, gitReader } = deps;
    const status = await deps.statuses.byId(resource.id);
    const repository = status && (await repositories.byId(status.repositoryId));
    if (!status || !repository) return undefined;
    // A forced push may have thrown the commit away since.
    const commits = (await gitReader.open(repository.id).commits([status.sha])).filter(
      (commit) => commit !== undefined,
    );
    return {
      id: status.id,
      sha: status.sha,
      context: status.context,
      state: status.state,
      description: status.description,
      // Receivers are on other hosts: paths of this site get host and port (HOK-17).
      target_url: new URL(status.targetUrl, deps.site.rootUrl).href,
      commit: (await models.commits(repository, commits))[0] ?? null,
      repository: await models.repository(repository),
      sender: await models.user(status.creatorId),
      created_at: apiTime(status.createdAt),
      updated_at: apiTime(status.updatedAt),
    };
  },
});
