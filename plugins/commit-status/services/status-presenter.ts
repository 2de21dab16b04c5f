import { anonymous, apiTime, type Actor } from '@mortise/plugin-sdk';
import type { Accounts, ApiUser } from '@mortise/accounts/api';
import type { ApiRepository, Repositories, Repository } from '@mortise/repositories/api';
import type { CombinedState, CommitStatus, StatusState } from '../contract/commit-status.js';

/** Model `CommitStatus` of the REST surface. */
interface ApiCommitStatus {
  id: number;
  status: StatusState;
  target_url: string;
  description: string;
  url: string;
  context: string;
  creator: ApiUser;
  created_at: string;
  updated_at: string;
}

interface ApiCombinedStatus {
  state: StatusState;
  sha: string;
  total_count: number;
  statuses: ApiCommitStatus[];
  repository: ApiRepository;
  commit_url: string;
  url: string;
}

export class StatusPresenter {
  constructor(private readonly deps: { readonly accounts: Accounts; readonly repositories: Repositories }) {}

  /** One batch of accounts however many; creators are shown as anybody sees them. */
  async statuses(repository: Repository, statuses: readonly CommitStatus[]): Promise<ApiCommitStatus[]> {
    const { accounts, repositories } = this.deps;
    const creatorsById = await accounts.byIds(
      [...new Set(statuses.map(({ creatorId }) => creatorId))].filter((id) => id > 0),
    );
    const home = repositories.apiUrl(repository);
    return statuses.map((status) => {
      const creator = creatorsById.get(status.creatorId);
      return {
        id: status.id,
        status: status.state,
        target_url: status.targetUrl,
        description: status.description,
        url: `${home}/statuses/${status.sha}`,
        context: status.context,
        creator: creator ? accounts.toApiUser(creator, anonymous) : accounts.ghost(),
        created_at: apiTime(status.createdAt),
        updated_at: apiTime(status.updatedAt),
      };
    });
  }

  async combined(
    repository: Repository,
    sha: string,
    combined: CombinedState,
    page: { readonly offset: number; readonly limit: number },
    viewer: Actor,
  ): Promise<ApiCombinedStatus> {
    const { repositories } = this.deps;
    const home = repositories.apiUrl(repository);
    const shown = combined.statuses.slice(page.offset, page.offset + page.limit);
    return {
      state: combined.state,
      sha,
      total_count: combined.statuses.length,
      statuses: await this.statuses(repository, shown),
      repository: (await repositories.toApi([repository], viewer))[0]!,
      commit_url: `${home}/commits/${sha}`,
      url: `${home}/commits/${sha}/status`,
    };
  }
}
