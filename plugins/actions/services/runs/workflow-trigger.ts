import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { QueryCache, PointReader } from '@mortise/plugin-sdk';
import type { ActivityEvent, ActivityEventKind } from '@mortise/activity-events/api';
import type { RepositoryBasics } from '@mortise/repositories/api';
import { canRun } from '../../units/actions.js';
import {
  isSkipped,
  matchTriggers,
  problemText,
  wantsChangedFiles,
  type EventProperties,
  type ParsedWorkflow,
  type TriggerMatch,
  type Workflow,
} from '../../workflow/index.js';
import type { Approvals } from './approvals.js';
import type { NewRun, RunCreator } from './run-creator.js';
import { TriggerEvents, summaryOf, type TriggerEvent } from './trigger-events.js';
import { actionsUserId, type RunDeps } from './run-deps.js';
import type { WorkflowWorkers } from './workflow-workers.js';
import type { RequiredChecks } from './required-checks.js';
import type { ScopedWorkflows } from './scoped-workflows.js';
import type { DisabledWorkflows } from './disabled-workflows.js';
import type { WorkflowFile, WorkflowFiles } from './workflow-files.js';

interface WorkflowTriggerDeps extends RunDeps {
  readonly workers: WorkflowWorkers;
  readonly files: WorkflowFiles;
  readonly creator: RunCreator;
  readonly disabledWorkflows: DisabledWorkflows;
  readonly scoped: ScopedWorkflows;
  readonly required: RequiredChecks;
  readonly approvals: Approvals;
  readonly kinds: PointReader<ActivityEventKind>;
  /** By repository: whether nothing that is recorded of its default branch can start a workflow. */
  readonly idleRepositories: QueryCache<boolean>;
}

/** A source of workflow files for one event. */
interface Source {
  readonly repositoryId: number;
  readonly commit: string;
  readonly isScoped: boolean;
  readonly files: readonly WorkflowFile[];
  /** Which entries of `on:` count. */
  takes(event: string): boolean;
}

/** Events that words in a message stop. */
const skippableEvents = new Set(['push', 'pull_request', 'pull_request_sync']);
const maxCommits = 30;
/** Runs that follow one another by `on: workflow_run`. */
const maxDepth = 5;

/** Starts workflows when something happens. */
export class WorkflowTrigger {
  readonly #occasions: TriggerEvents;
  readonly #approvals = new WeakMap<TriggerEvent, Promise<boolean>>();

  constructor(private readonly deps: WorkflowTriggerDeps) {
    this.#occasions = new TriggerEvents(deps);
  }

  static mayStart(this: void, activityEvent: ActivityEvent): boolean {
    const { kind, actorId } = activityEvent;
    return kind === 'workflow_run' || (TriggerEvents.concerns(activityEvent) && actorId !== actionsUserId);
  }

  /** False where it need not be stored for {@link handle}: most repositories have no workflows. */
  mayTrigger(activityEvent: ActivityEvent): boolean {
    if (!WorkflowTrigger.mayStart(activityEvent)) return false;
    const { resource } = activityEvent;
    return (
      !TriggerEvents.isOfDefaultBranch(activityEvent) || !this.deps.idleRepositories.peek(String(resource.repositoryId))
    );
  }

  /** Those of one event: a push may bring thousands, and others are let in between two of them. */
  async handleAll(activityEvents: readonly ActivityEvent[]): Promise<void> {
    for (const one of activityEvents) {
      await this.handle(one);
      if (activityEvents.length > 1) await nextTurn();
    }
  }

  /** At least once for each activity event: what was started is not started again. */
  async handle(activityEvent: ActivityEvent): Promise<void> {
    if (!WorkflowTrigger.mayStart(activityEvent)) return;
    const isRun = activityEvent.kind === 'workflow_run';
    const { repositories } = this.deps;
    const basics = await repositories.basicsById(activityEvent.resource.repositoryId ?? 0);
    if (!basics) return;
    const isOfDefault = TriggerEvents.isOfDefaultBranch(activityEvent);
    if (isOfDefault ? await this.#isIdle(basics.id) : !canRun(basics) || !(await this.#hasAny(basics))) return;
    if (isRun && !(await this.#followsRuns(basics))) return;
    const repository = await repositories.byId(basics.id);
    if (!repository) return;
    const payload = await this.deps.kinds.get(activityEvent.kind)?.payload(activityEvent, { maxItems: maxCommits });
    const cause = payload && (await this.#occasions.fromActivityEvent(activityEvent, repository, payload));
    if (cause) await this.start(cause);
  }

  /** Most repositories have no workflows: they cost a look into memory. */
  async #hasAny(repository: RepositoryBasics): Promise<boolean> {
    return !(await this.deps.gitReader.open(repository.id).isEmpty());
  }

  /** Whether nothing that is recorded of the default branch can start anything here. */
  async #isIdle(repositoryId: number): Promise<boolean> {
    const { idleRepositories: idleRepositories, repositories } = this.deps;
    const key = String(repositoryId);
    // refs move before the row of the repository, which a push updates later: do not reuse the value from before
    idleRepositories.delete(key);
    return idleRepositories.load(key, async () => {
      const basics = await repositories.basicsById(repositoryId);
      return !basics || !canRun(basics) || !(await this.#hasWorkflows(basics));
    });
  }

  /** The same of what issues record: to tell of one costs more than to look whether anything wants to hear it. */
  async #hasWorkflows(repository: RepositoryBasics): Promise<boolean> {
    const { files, scoped, settings } = this.deps;
    const place = await this.#occasions.defaultBranch(repository);
    if (!place) return false;
    const own = await files.list(repository.id, place.workflowSha, settings.WORKFLOW_DIRS);
    return own.length > 0 || (await scoped.sourcesFor(repository)).length > 0;
  }

  /** Runs are reported often; few repositories have a workflow that wants to know. */
  async #followsRuns(repository: RepositoryBasics): Promise<boolean> {
    const { gitReader, files, settings } = this.deps;
    const head = await gitReader.open(repository.id).branch(repository.defaultBranch);
    if (!head) return false;
    for (const file of await files.list(repository.id, head.oid, settings.WORKFLOW_DIRS)) {
      const { events } = await files.summary(repository.id, file);
      if (events.includes('workflow_run')) return true;
    }
    return false;
  }

  /** Starts the workflows that match the event. */
  async start(cause: TriggerEvent): Promise<void> {
    const { repository } = cause;
    const { scoped, disabledWorkflows } = this.deps;
    const hasSkipText = await this.#hasSkipText(cause);
    // a skip text of the pusher does not skip required workflows
    if (hasSkipText && (await scoped.required(repository)).length === 0) return;
    const off = await disabledWorkflows.of(repository.id);
    if ((cause.reported?.depth ?? 0) >= maxDepth) return;
    let changed: readonly string[] | undefined;
    for (const source of await this.#sources(cause))
      for (const file of source.files) {
        const isRequired = source.isScoped && (await scoped.isRequired(repository, source.repositoryId, file.id));
        const isOff = off.has(disabledWorkflows.key(source.isScoped ? source.repositoryId : 0, file.id));
        if (!isRequired && (hasSkipText || isOff)) continue;
        const common = eventPropertiesOf(cause, isRequired);
        const parsed = await this.deps.files.parse(source.repositoryId, file);
        if (!parsed.workflow) {
          await this.#postBroken(cause, source, file, parsed);
          continue;
        }
        if (!changed && wantsChangedFiles(parsed.workflow, common)) changed = await cause.changedFiles();
        const properties = changed ? { ...common, changedFiles: changed } : common;
        for (const match of matchTriggers(parsed.workflow, properties))
          if (source.takes(match.trigger.event)) await this.#trigger(cause, source, file, parsed.workflow, match);
      }
  }

  async #hasSkipText({ event, repository, sha, pullTitle = '' }: TriggerEvent): Promise<boolean> {
    const skipTexts = this.deps.settings.SKIP_WORKFLOW_STRINGS;
    if (!skippableEvents.has(event)) return false;
    if (isSkipped(pullTitle, skipTexts)) return true;
    return isSkipped((await this.deps.gitReader.open(repository.id).commit(sha)).message, skipTexts);
  }

  async #sources(cause: TriggerEvent): Promise<Source[]> {
    const { repository, base, pull, event } = cause;
    const { files, settings, scoped } = this.deps;
    const own = (commit: string, takes: Source['takes']): Promise<Source> =>
      files
        .list(repository.id, commit, settings.WORKFLOW_DIRS)
        .then((list) => ({ repositoryId: repository.id, commit, isScoped: false, files: list, takes }));
    const sources = [await own(cause.workflowSha, (key) => key !== 'pull_request_target')];
    if (pull && base && event !== 'pull_request_comment')
      sources.push(await own(base.sha, (key) => key === 'pull_request_target'));
    if (event === 'workflow_run') return sources;
    for (const one of await scoped.sourcesFor(repository))
      sources.push({ ...one, isScoped: true, takes: (key) => key !== 'workflow_run' && key !== 'schedule' });
    return sources;
  }

  async #trigger(
    cause: TriggerEvent,
    source: Source,
    file: WorkflowFile,
    workflow: Workflow,
    { trigger, outcome }: TriggerMatch,
  ): Promise<void> {
    // the filter cannot be evaluated, so neither run nor skip
    if (outcome === 'broken') return;
    const { event, pull, sha } = cause;
    const newRun = await this.#newRun(cause, source, file, workflow, trigger.event);
    // filters were matched against the newest head, and hold for no earlier one
    const isAboutHead = pull ? event.startsWith('pull_request') && pull.headOid === sha : event === 'push';
    if (outcome === 'match') await this.deps.creator.create(newRun);
    else if (newRun.statusSha && isAboutHead) await this.#postSkipped(newRun, workflow);
  }

  async #newRun(
    cause: TriggerEvent,
    source: Source,
    file: WorkflowFile,
    workflow: Workflow | undefined,
    triggerEvent: string,
  ): Promise<NewRun> {
    const { repository, pull, base } = cause;
    const commit = await this.deps.gitReader.open(repository.id).commit(cause.sha);
    const isFork = Boolean(pull) && (pull!.headRepositoryId !== repository.id || pull!.flow !== 'branch');
    const place = source.isScoped ? source.repositoryId : 0;
    const key = createHash('sha256').update([cause.id, triggerEvent, place, file.id].join('\0')).digest('hex');
    return {
      repository,
      workflow,
      workflowId: file.id,
      workflowPath: file.path,
      workflowName: workflow?.name ?? file.id,
      workflowRepoId: source.repositoryId,
      workflowCommit: source.commit,
      isScoped: source.isScoped,
      ref: cause.ref,
      sha: cause.sha,
      statusSha: cause.statusSha,
      pullIndex: pull?.index ?? 0,
      ...(pull && { pullBase: base?.branch ?? pull.baseBranch }),
      userId: cause.actorId,
      event: cause.event,
      triggerEvent,
      key,
      payload: cause.payload,
      title: summaryOf(commit),
      isFork,
      depth: cause.reported ? cause.reported.depth + 1 : 0,
      needsApproval: isFork && triggerEvent !== 'pull_request_target' && (await this.#needsApproval(cause)),
    };
  }

  /** Evaluated once for all runs of the event. */
  #needsApproval(cause: TriggerEvent): Promise<boolean> {
    const { repository, pull, pullAuthorId = 0, actorId, statusSha } = cause;
    const known = this.#approvals.get(cause);
    if (known || !pull) return known ?? Promise.resolve(true);
    const head = statusSha || pull.headOid;
    const needsApproval = this.deps.approvals.isNeeded({ repository, pull, head, authorId: pullAuthorId, actorId });
    this.#approvals.set(cause, needsApproval);
    return needsApproval;
  }

  /** A filter says no: what branches require of it is answered, so that nothing waits for it for ever. */
  async #postSkipped(newRun: NewRun, workflow: Workflow): Promise<void> {
    const github = { event_name: newRun.triggerEvent, ref: newRun.ref, sha: newRun.sha };
    const { jobs } = await this.deps.workers.plan(newRun.repository.id, workflow, { github });
    await this.deps.required.postSkipped(
      newRun,
      jobs.map(({ name }) => name),
    );
  }

  /** Posts the problem of a workflow file as a commit status of the push. */
  async #postBroken(
    cause: TriggerEvent,
    source: Source,
    file: WorkflowFile,
    { problems }: ParsedWorkflow,
  ): Promise<void> {
    const problem = problems.find(({ severity }) => severity === 'error');
    if (!problem || source.isScoped || cause.event !== 'push' || !cause.statusSha) return;
    await this.deps.required.postBroken(cause.repository, cause.statusSha, file, problemText(problem));
  }
}

/** `isRequired`: of a workflow that is to have run for each base branch of a pull request. */
function eventPropertiesOf(cause: TriggerEvent, isRequired: boolean): EventProperties {
  const { event, action, ref, base, pull, isRetargeted } = cause;
  return {
    event,
    action,
    ...((event === 'push' || event === 'create') && { ref }),
    ...(cause.labels && { labels: cause.labels }),
    ...(cause.reported && { workflowRun: cause.reported }),
    ...(pull && { baseBranch: base?.branch ?? pull.baseBranch }),
    ...(isRequired && isRetargeted && { isRetargeted }),
  };
}
