import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { QueryCache, PointReader } from '@mortise/plugin-sdk';
import type { Announcement, AnnouncementKind } from '@mortise/announcements/api';
import type { RepositoryBasics } from '@mortise/repositories/api';
import { canRun } from '../../unit.js';
import {
  isSkipped,
  matchTriggers,
  problemText,
  wantsChangedFiles,
  type EventFacts,
  type ParsedWorkflow,
  type TriggerMatch,
  type Workflow,
} from '../../workflow/index.js';
import type { Approvals } from './approvals.js';
import type { NewRun, RunCreator } from './creating.js';
import { Occasions, summaryOf, type Occasion } from './occasions.js';
import { actionsUserId, type RunDeps } from './parts.js';
import type { WorkflowReading } from './reading.js';
import type { RequiredChecks } from './required.js';
import type { Scoped } from './scoped.js';
import type { Switches } from './switches.js';
import type { WorkflowFile, WorkflowFiles } from './workflows.js';

export interface TriggerDeps extends RunDeps {
  readonly reading: WorkflowReading;
  readonly files: WorkflowFiles;
  readonly creator: RunCreator;
  readonly switches: Switches;
  readonly scoped: Scoped;
  readonly required: RequiredChecks;
  readonly approvals: Approvals;
  readonly kinds: PointReader<AnnouncementKind>;
  /** By repository: whether nothing that is announced of its default branch can start a workflow. */
  readonly quiet: QueryCache<boolean>;
}

/** Where workflows come from for one occasion. */
interface Source {
  readonly repositoryId: number;
  readonly commit: string;
  readonly isScoped: boolean;
  readonly files: readonly WorkflowFile[];
  /** Which entries of `on:` count. */
  takes(event: string): boolean;
}

/** Events that words in a message stop. */
const stoppable = new Set(['push', 'pull_request', 'pull_request_sync']);
const maxCommits = 30;
/** Runs that follow one another by `on: workflow_run`. */
const maxDepth = 5;

/** Starts workflows when something happens. */
export class Triggering {
  readonly #occasions: Occasions;
  readonly #approvals = new WeakMap<Occasion, Promise<boolean>>();

  constructor(private readonly deps: TriggerDeps) {
    this.#occasions = new Occasions(deps);
  }

  static mayStart(this: void, announcement: Announcement): boolean {
    const { kind, actorId } = announcement;
    return kind === 'workflow_run' || (Occasions.concerns(announcement) && actorId !== actionsUserId);
  }

  /** False where it need not be stored for {@link announced}: most repositories have no workflows. */
  mayConcern(announcement: Announcement): boolean {
    if (!Triggering.mayStart(announcement)) return false;
    const { resource } = announcement;
    return !Occasions.isOfDefaultBranch(announcement) || !this.deps.quiet.peek(String(resource.repositoryId));
  }

  /** Those of one event: a push may bring thousands, and others are let in between two of them. */
  async announcedTogether(announcements: readonly Announcement[]): Promise<void> {
    for (const one of announcements) {
      await this.announced(one);
      if (announcements.length > 1) await nextTurn();
    }
  }

  /** At least once for each announcement: what was started is not started again. */
  async announced(announcement: Announcement): Promise<void> {
    if (!Triggering.mayStart(announcement)) return;
    const isRun = announcement.kind === 'workflow_run';
    const { repositories } = this.deps;
    const basics = await repositories.basicsById(announcement.resource.repositoryId ?? 0);
    if (!basics) return;
    const isOfDefault = Occasions.isOfDefaultBranch(announcement);
    if (isOfDefault ? await this.#isQuiet(basics.id) : !canRun(basics) || !(await this.#hasAny(basics))) return;
    if (isRun && !(await this.#followsRuns(basics))) return;
    const repository = await repositories.byId(basics.id);
    if (!repository) return;
    const payload = await this.deps.kinds.get(announcement.kind)?.payload(announcement, { maxItems: maxCommits });
    const occasion = payload && (await this.#occasions.of(announcement, repository, payload));
    if (occasion) await this.start(occasion);
  }

  /** Most repositories have no workflows: they cost a look into memory. */
  async #hasAny(repository: RepositoryBasics): Promise<boolean> {
    return !(await this.deps.gitReader.open(repository.id).isEmpty());
  }

  /** Whether nothing that is announced of the default branch can start anything here. */
  async #isQuiet(repositoryId: number): Promise<boolean> {
    const { quiet, repositories } = this.deps;
    const key = String(repositoryId);
    // git moves before the row of the repository, which a push changes: whoever reads anew may not be told what was
    quiet.delete(key);
    return quiet.load(key, async () => {
      const basics = await repositories.basicsById(repositoryId);
      return !basics || !canRun(basics) || !(await this.#hasWorkflows(basics));
    });
  }

  /** The same of what issues announce: to tell of one costs more than to look whether anything wants to hear it. */
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
      const { events } = await files.facts(repository.id, file);
      if (events.includes('workflow_run')) return true;
    }
    return false;
  }

  /** Whatever matches the occasion. */
  async start(occasion: Occasion): Promise<void> {
    const { repository } = occasion;
    const { scoped, switches } = this.deps;
    const isStopped = await this.#isStopped(occasion);
    // words of whoever pushes stop nothing that others require
    if (isStopped && (await scoped.required(repository)).length === 0) return;
    const off = await switches.of(repository.id);
    if ((occasion.reported?.depth ?? 0) >= maxDepth) return;
    let changed: readonly string[] | undefined;
    for (const source of await this.#sources(occasion))
      for (const file of source.files) {
        const isRequired = source.isScoped && (await scoped.isRequired(repository, source.repositoryId, file.id));
        const isOff = off.has(switches.key(source.isScoped ? source.repositoryId : 0, file.id));
        if (!isRequired && (isStopped || isOff)) continue;
        const common = factsOf(occasion, isRequired);
        const parsed = await this.deps.files.parse(source.repositoryId, file);
        if (!parsed.workflow) {
          await this.#tellBroken(occasion, source, file, parsed);
          continue;
        }
        if (!changed && wantsChangedFiles(parsed.workflow, common)) changed = await occasion.changedFiles();
        const facts = changed ? { ...common, changedFiles: changed } : common;
        for (const match of matchTriggers(parsed.workflow, facts))
          if (source.takes(match.trigger.event)) await this.#act(occasion, source, file, parsed.workflow, match);
      }
  }

  async #isStopped({ event, repository, sha, pullTitle = '' }: Occasion): Promise<boolean> {
    const words = this.deps.settings.SKIP_WORKFLOW_STRINGS;
    if (!stoppable.has(event)) return false;
    if (isSkipped(pullTitle, words)) return true;
    return isSkipped((await this.deps.gitReader.open(repository.id).commit(sha)).message, words);
  }

  async #sources(occasion: Occasion): Promise<Source[]> {
    const { repository, base, pull, event } = occasion;
    const { files, settings, scoped } = this.deps;
    const own = (commit: string, takes: Source['takes']): Promise<Source> =>
      files
        .list(repository.id, commit, settings.WORKFLOW_DIRS)
        .then((list) => ({ repositoryId: repository.id, commit, isScoped: false, files: list, takes }));
    const sources = [await own(occasion.workflowSha, (key) => key !== 'pull_request_target')];
    if (pull && base && event !== 'pull_request_comment')
      sources.push(await own(base.sha, (key) => key === 'pull_request_target'));
    if (event === 'workflow_run') return sources;
    for (const one of await scoped.sourcesFor(repository))
      sources.push({ ...one, isScoped: true, takes: (key) => key !== 'workflow_run' && key !== 'schedule' });
    return sources;
  }

  async #act(
    occasion: Occasion,
    source: Source,
    file: WorkflowFile,
    workflow: Workflow,
    { trigger, outcome }: TriggerMatch,
  ): Promise<void> {
    // nobody knows whether it is to be left out
    if (outcome === 'broken') return;
    const { event, pull, sha } = occasion;
    const wish = await this.#wish(occasion, source, file, workflow, trigger.event);
    // filters looked at the newest head: they say nothing of one before
    const isAboutHead = pull ? event.startsWith('pull_request') && pull.headOid === sha : event === 'push';
    if (outcome === 'match') await this.deps.creator.create(wish);
    else if (wish.statusSha && isAboutHead) await this.#tellSkipped(wish, workflow);
  }

  async #wish(
    occasion: Occasion,
    source: Source,
    file: WorkflowFile,
    workflow: Workflow | undefined,
    triggerEvent: string,
  ): Promise<NewRun> {
    const { repository, pull, base } = occasion;
    const commit = await this.deps.gitReader.open(repository.id).commit(occasion.sha);
    const isFork = Boolean(pull) && (pull!.headRepositoryId !== repository.id || pull!.flow !== 'branch');
    const place = source.isScoped ? source.repositoryId : 0;
    const key = createHash('sha256').update([occasion.id, triggerEvent, place, file.id].join('\0')).digest('hex');
    return {
      repository,
      workflow,
      workflowId: file.id,
      workflowPath: file.path,
      workflowName: workflow?.name ?? file.id,
      workflowRepoId: source.repositoryId,
      workflowCommit: source.commit,
      isScoped: source.isScoped,
      ref: occasion.ref,
      sha: occasion.sha,
      statusSha: occasion.statusSha,
      pullIndex: pull?.index ?? 0,
      ...(pull && { pullBase: base?.branch ?? pull.baseBranch }),
      userId: occasion.actorId,
      event: occasion.event,
      triggerEvent,
      key,
      payload: occasion.payload,
      title: summaryOf(commit),
      isFork,
      depth: occasion.reported ? occasion.reported.depth + 1 : 0,
      needsApproval: isFork && triggerEvent !== 'pull_request_target' && (await this.#needsApproval(occasion)),
    };
  }

  /** Asked once for all that the occasion starts. */
  #needsApproval(occasion: Occasion): Promise<boolean> {
    const { repository, pull, pullAuthorId = 0, actorId, statusSha } = occasion;
    const known = this.#approvals.get(occasion);
    if (known || !pull) return known ?? Promise.resolve(true);
    const head = statusSha || pull.headOid;
    const found = this.deps.approvals.isNeeded({ repository, pull, head, authorId: pullAuthorId, actorId });
    this.#approvals.set(occasion, found);
    return found;
  }

  /** A filter says no: what branches require of it is answered, so that nothing waits for it for ever. */
  async #tellSkipped(wish: NewRun, workflow: Workflow): Promise<void> {
    const github = { event_name: wish.triggerEvent, ref: wish.ref, sha: wish.sha };
    const { jobs } = await this.deps.reading.plan(wish.repository.id, workflow, { github });
    await this.deps.required.tellSkipped(
      wish,
      jobs.map(({ name }) => name),
    );
  }

  /** What is wrong with a file that would have been looked at, where those see it who wrote it. */
  async #tellBroken(
    occasion: Occasion,
    source: Source,
    file: WorkflowFile,
    { problems }: ParsedWorkflow,
  ): Promise<void> {
    const problem = problems.find(({ severity }) => severity === 'error');
    if (!problem || source.isScoped || occasion.event !== 'push' || !occasion.statusSha) return;
    await this.deps.required.tellBroken(occasion.repository, occasion.statusSha, file, problemText(problem));
  }
}

/** `isRequired`: of a workflow that is to have run for each base branch of a pull request. */
function factsOf(occasion: Occasion, isRequired: boolean): EventFacts {
  const { event, action, ref, base, pull, isRetargeted } = occasion;
  return {
    event,
    action,
    ...((event === 'push' || event === 'create') && { ref }),
    ...(occasion.labels && { labels: occasion.labels }),
    ...(occasion.reported && { workflowRun: occasion.reported }),
    ...(pull && { baseBranch: base?.branch ?? pull.baseBranch }),
    ...(isRequired && isRetargeted && { isRetargeted }),
  };
}
