/** The contract of `contents`: commits as the REST surface shows them, for plugins that tell about commits. */
import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { Commit } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';

export interface CommitParts {
  readonly stat?: boolean;
  readonly files?: boolean;
  readonly verification?: boolean;
}

export interface CommitModels {
  /** Model `Commit` for each; one batch of look-ups however many. */
  commits(
    repository: Repository,
    commits: readonly Commit[],
    actor: Actor,
    parts?: CommitParts,
  ): Promise<Record<string, unknown>[]>;
}
export const commitModels = defineService<CommitModels>('contents.commitModels');
