import { Forbidden, Invalid, NotFound, Problem, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { ActivityModels } from '@mortise/activity-events/api';
import type { Repository } from '@mortise/repositories/api';
import { type InputDefinition, dispatchInputs, hasTrigger, type Value } from '../../workflow/index.js';
import type { RunRow } from '../../models/run.js';
import { apiSender } from './api-sender.js';
import type { RunCreator } from './run-creator.js';
import { summaryOf } from './trigger-events.js';
import type { RunDeps } from './run-deps.js';
import type { ScopedWorkflows } from './scoped-workflows.js';
import type { DisabledWorkflows } from './disabled-workflows.js';
import type { WorkflowFile, WorkflowFiles } from './workflow-files.js';

interface WorkflowDispatcherDeps extends RunDeps {
  readonly accounts: Accounts;
  readonly models: ActivityModels;
  readonly files: WorkflowFiles;
  readonly scoped: ScopedWorkflows;
  readonly disabledWorkflows: DisabledWorkflows;
  readonly creator: RunCreator;
}

interface DispatchRequest {
  readonly repository: Repository;
  readonly workflowId: string;
  /** 0: a workflow of the repository itself. */
  readonly sourceId: number;
  /** A full reference, or the name of a branch. */
  readonly ref: string;
  readonly inputs: Readonly<Record<string, Value>>;
}

/** Runs that people ask for. */
export class WorkflowDispatcher {
  constructor(private readonly deps: WorkflowDispatcherDeps) {}

  /**
   * NotFound for a reference or a file that is not there, Forbidden for a workflow that is switched off, Invalid for one
   * that does not want it and for a value that its inputs do not take.
   */
  async dispatch({ repository, workflowId, sourceId, ref, inputs }: DispatchRequest, actor: Actor): Promise<RunRow> {
    const { disabledWorkflows, creator, models, files, gitReader } = this.deps;
    const off = await disabledWorkflows.of(repository.id);
    const isRequired = sourceId > 0 && (await this.deps.scoped.isRequired(repository, sourceId, workflowId));
    if (off.has(disabledWorkflows.key(sourceId, workflowId)) && !isRequired) throw Forbidden('workflow is disabled');
    const target = await this.#target(repository, ref);
    const source = await this.#find(repository, sourceId, target.sha, workflowId);
    const { workflow } = await files.parse(source.repositoryId, source.file);
    if (!workflow || !hasTrigger(workflow, 'workflow_dispatch'))
      throw Invalid(`workflow "${workflowId}" has no workflow_dispatch event trigger`);
    const taken = dispatchInputs(workflow, inputs);
    const [wrong] = taken.problems.filter((problem) => !problem.includes('required'));
    if (wrong) throw Invalid(wrong);
    const account = await this.deps.accounts.byId(actor.id);
    const payload = {
      workflow: workflowId,
      // as it was asked for
      ref,
      inputs: taken.inputs,
      repository: await models.repository(repository),
      sender: await apiSender(models, actor.id),
    };
    const commit = await gitReader.open(repository.id).commit(target.sha);
    const run = await creator.create({
      repository,
      workflow,
      workflowId,
      workflowPath: source.file.path,
      workflowName: workflow.name ?? workflowId,
      workflowRepoId: source.repositoryId,
      workflowCommit: source.commit,
      isScoped: sourceId > 0,
      ref: target.ref,
      sha: target.sha,
      statusSha: '',
      pullIndex: 0,
      userId: account?.id ?? actor.id,
      event: 'workflow_dispatch',
      triggerEvent: 'workflow_dispatch',
      key: null,
      payload,
      title: summaryOf(commit),
      isFork: false,
      needsApproval: false,
    });
    if (!run) throw new Problem('conflict', 'the run is there already');
    return run;
  }

  /** What the workflow asks for, as it is at the ref. NotFound and Invalid as {@link dispatch}. */
  async inputsAt({
    repository,
    workflowId,
    sourceId,
    ref,
  }: Omit<DispatchRequest, 'inputs'>): Promise<readonly InputDefinition[]> {
    const target = await this.#target(repository, ref);
    const source = await this.#find(repository, sourceId, target.sha, workflowId);
    const { workflow } = await this.deps.files.parse(source.repositoryId, source.file);
    const trigger = workflow?.on.find(({ event }) => event === 'workflow_dispatch');
    if (!trigger) throw Invalid(`workflow "${workflowId}" has no workflow_dispatch event trigger`);
    return trigger.inputs ?? [];
  }

  async #target(repository: Repository, ref: string): Promise<{ ref: string; sha: string }> {
    const git = this.deps.gitReader.open(repository.id);
    const target = /^refs\/(?:heads|tags)\//.test(ref) ? await git.ref(ref) : await git.branch(ref);
    const peeled = target && (await git.peel(target.oid));
    if (peeled?.type !== 'commit') throw NotFound('ref');
    return { ref: target!.ref, sha: peeled.oid };
  }

  async #find(
    repository: Repository,
    sourceId: number,
    sha: string,
    workflowId: string,
  ): Promise<{ repositoryId: number; commit: string; file: WorkflowFile }> {
    const { files, settings, scoped } = this.deps;
    if (sourceId > 0) {
      const source = (await scoped.sourcesFor(repository)).find((one) => one.repositoryId === sourceId);
      const file = source?.files.find(({ id }) => id === workflowId);
      if (!source || !file) throw NotFound('workflow');
      return { repositoryId: sourceId, commit: source.commit, file };
    }
    const file = await files.find(repository.id, sha, settings.WORKFLOW_DIRS, workflowId);
    if (!file) throw NotFound('workflow');
    return { repositoryId: repository.id, commit: sha, file };
  }
}
