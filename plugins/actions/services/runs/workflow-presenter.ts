import { apiTime } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { RunRow } from '../../models/run.js';
import type { ActionsSettings } from '../../settings.js';
import type { DisabledWorkflows } from './disabled-workflows.js';
import type { WorkflowFile, WorkflowFiles } from './workflow-files.js';

interface Deps {
  readonly repositories: Repositories;
  readonly gitReader: GitReader;
  readonly files: WorkflowFiles;
  readonly disabledWorkflows: DisabledWorkflows;
  readonly settings: ActionsSettings;
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Records of workflows. */
export class WorkflowPresenter {
  constructor(private readonly deps: Deps) {}

  /** Those of the default branch. */
  async list(repository: Repository): Promise<readonly WorkflowFile[]> {
    const { gitReader, files, settings } = this.deps;
    const head = await gitReader.open(repository.id).branch(repository.defaultBranch);
    return head ? files.list(repository.id, head.oid, settings.WORKFLOW_DIRS) : [];
  }

  async records(repository: Repository, list: readonly WorkflowFile[]): Promise<Record<string, unknown>[]> {
    const { gitReader, files, disabledWorkflows } = this.deps;
    const off = await disabledWorkflows.of(repository.id);
    const git = gitReader.open(repository.id);
    const head = await git.branch(repository.defaultBranch);
    const folder = list[0]?.path.slice(0, -list[0].id.length - 1) ?? '';
    const dates = head && list.length > 0 ? await git.lastCommits(head.oid, folder) : new Map<string, string>();
    const commits = new Map((await git.commits([...new Set(dates.values())])).map((one) => [one.oid, one]));
    return Promise.all(
      list.map(async (file) => {
        const { name = file.id } = await files.summary(repository.id, file);
        const last = commits.get(dates.get(file.id.split('/')[0]!) ?? '');
        return this.#record(repository, {
          id: file.id,
          name,
          path: file.path,
          isOff: off.has(disabledWorkflows.key(0, file.id)),
          at: last?.committer.time ?? 0,
        });
      }),
    );
  }

  /** The workflow of a run, also one whose file is gone. */
  async ofRun(repository: Repository, run: RunRow): Promise<Record<string, unknown>> {
    const off = await this.deps.disabledWorkflows.of(repository.id);
    return this.#record(repository, {
      id: run.workflow_id,
      name: run.workflow_name || run.workflow_id,
      path: run.workflow_path,
      isOff: off.has(this.deps.disabledWorkflows.key(run.is_scoped_run ? run.workflow_repo_id : 0, run.workflow_id)),
      at: Number(run.created_at),
    });
  }

  #record(
    repository: Repository,
    one: {
      readonly id: string;
      readonly name: string;
      readonly path: string;
      readonly isOff: boolean;
      readonly at: number;
    },
  ): Record<string, unknown> {
    const { repositories } = this.deps;
    const page = repositories.htmlUrl(repository);
    const branch = repository.defaultBranch;
    return {
      id: one.id,
      name: one.name,
      path: one.path,
      state: one.isOff ? 'disabled_manually' : 'active',
      created_at: apiTime(one.at),
      updated_at: apiTime(one.at),
      deleted_at: apiTime(0),
      url: `${repositories.apiUrl(repository)}/actions/workflows/${encodeURIComponent(one.id)}`,
      html_url: `${page}/src/branch/${encoded(branch)}/${encoded(one.path)}`,
      badge_url: `${page}/actions/workflows/${encodeURIComponent(one.id)}/badge.svg?branch=${encodeURIComponent(branch)}`,
    };
  }
}
