import { Joi, apiTime, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { durationText, trackedTimeSchema, type Issues } from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import type { ApiStopwatch } from '../contract/time-tracking.js';
import type { Stopwatch, TrackedTime } from './times.js';

const count = () => Joi.number().integer().required();

export const timeListSchema = Joi.array().items(trackedTimeSchema).label('TrackedTimeList');

export const stopwatchSchema: Joi.ObjectSchema<object> = Joi.object({
  created: Joi.string().isoDate().required(),
  seconds: count(),
  duration: Joi.string().required(),
  issue_index: count(),
  issue_title: Joi.string().allow('').required(),
  repo_owner_name: Joi.string().required(),
  repo_name: Joi.string().required(),
}).label('StopWatch');

/** Makes the models of tracked times and stopwatches. */
export class TimePresenter {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly issues: Issues;
      readonly repositories: Repositories;
    },
  ) {}

  async times(times: readonly TrackedTime[], actor: Actor) {
    const { accounts, issues } = this.deps;
    const [users, found] = await Promise.all([
      accounts.byIds([...new Set(times.map(({ userId }) => userId))]),
      issues.byIds(times.map(({ issueId }) => issueId)),
    ]);
    const models = new Map((await issues.toApi([...found.values()], actor)).map((model) => [model.id, model]));
    return times.map((time) => ({
      id: time.id,
      created: apiTime(time.createdAt),
      time: time.seconds,
      user_id: time.userId,
      user_name: users.get(time.userId)?.name ?? accounts.ghost().login,
      issue_id: time.issueId,
      issue: models.get(time.issueId) ?? null,
    }));
  }

  async stopwatches(running: readonly Stopwatch[]): Promise<ApiStopwatch[]> {
    const { issues, repositories } = this.deps;
    const issuesById = await issues.byIds(running.map(({ issueId }) => issueId));
    const repositoriesById = await repositories.byIds([...issuesById.values()].map(({ repositoryId }) => repositoryId));
    return running.flatMap(({ issueId, startedAt }) => {
      const issue = issuesById.get(issueId);
      const repository = issue && repositoriesById.get(issue.repositoryId);
      if (!issue || !repository) return [];
      const seconds = Math.max(0, Math.round((Date.now() - startedAt) / 1000));
      return [
        {
          created: apiTime(startedAt),
          seconds,
          duration: durationText(seconds),
          issue_index: issue.index,
          issue_title: issue.title,
          repo_owner_name: repository.ownerName,
          repo_name: repository.name,
        },
      ];
    });
  }
}
