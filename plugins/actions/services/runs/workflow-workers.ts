import { defineService, Problem, type Logger } from '@mortise/plugin-sdk';
import { Busy, FairQueue, ThreadFailure, ThreadPool } from '@mortise/plugin-sdk/threads';
import type {
  Answer,
  CallOutputs,
  CallPlan,
  CallTask,
  OutputsTask,
  Plan,
  Task,
  ExpandedMatrix,
  MatrixTask,
} from '../../worker/tasks.js';
import type { Contexts, ParsedWorkflow, Workflow } from '../../workflow/index.js';

const threads = 2;

/** Of one task; the largest workflow that is allowed takes a second. */
interface WorkerLimits {
  /** MiB of a thread. */
  readonly memory: number;
  /** Milliseconds. */
  readonly time: number;
}
const defaultLimits: WorkerLimits = { memory: 256, time: 5000 };

/**
 * Reads and plans workflows in threads, since they are untrusted: one that takes too much fails without delaying others.
 * Repositories take turns. Not inside a transaction, which would wait for others.
 */
export class WorkflowWorkers {
  readonly #threads: ThreadPool;
  readonly #queue = new FairQueue({
    running: threads,
    runningPerVisitor: threads - 1,
    waiting: 5000,
    waitingPerVisitor: 500,
    maxWait: 600_000,
  });

  constructor(
    /** `worker/main.js` */
    entry: URL,
    private readonly log: Pick<Logger, 'warn'>,
    limits = defaultLimits,
  ) {
    this.#threads = new ThreadPool(entry, { threads, ...limits });
  }

  /** A workflow file of a repository; what takes too much has a problem. */
  async parse(repositoryId: number, text: string | Uint8Array, file: string): Promise<ParsedWorkflow> {
    const { answer, problem } = await this.#run(repositoryId, { kind: 'parse', text, file });
    return answer ?? { problems: [{ file, line: 1, column: 1, severity: 'error', message: `the file: ${problem}` }] };
  }

  /** Its jobs and title in a run; what takes too much has a problem. */
  async plan(repositoryId: number, workflow: Workflow, contexts: Contexts): Promise<Plan> {
    const { answer, problem } = await this.#run(repositoryId, { kind: 'plan', workflow, contexts });
    return answer ?? { jobs: [], problem: `${workflow.file}: ${problem}`, uses: { id: false, number: false } };
  }

  /** The jobs of a workflow that one of its jobs calls. */
  async planCall(repositoryId: number, task: Omit<CallTask, 'kind'>): Promise<CallPlan> {
    const { answer, problem } = await this.#run(repositoryId, { kind: 'call', ...task });
    return answer ?? { problem: `${task.uses}: ${problem}` };
  }

  /** The jobs of a matrix that others have made. */
  async expandMatrix(repositoryId: number, task: Omit<MatrixTask, 'kind'>): Promise<ExpandedMatrix> {
    const { answer, problem } = await this.#run(repositoryId, { kind: 'matrix', ...task });
    return answer ?? { problem: `jobs.${task.job.id}.strategy.matrix: ${problem}` };
  }

  /** What a call gives; nothing where that takes too much. */
  async callOutputs(repositoryId: number, task: Omit<OutputsTask, 'kind'>): Promise<CallOutputs> {
    return (await this.#run(repositoryId, { kind: 'outputs', ...task })).answer ?? {};
  }

  async close(): Promise<void> {
    this.#queue.close();
    await this.#threads.close();
  }

  async #run<T extends Task>(repositoryId: number, task: T): Promise<{ answer?: Answer<T>; problem?: string }> {
    try {
      const work = () => this.#threads.run<Answer<T>>(task);
      return { answer: await this.#queue.add(String(repositoryId), work).result };
    } catch (error) {
      if (error instanceof Busy) throw new Problem('unavailable', 'Too many workflows are being read. Try again.');
      if (!(error instanceof ThreadFailure) || error.reason === 'error') throw error;
      const problem = error.reason === 'time' ? 'it takes too long to read' : 'it needs too much memory';
      this.log.warn('could not read a workflow within its limits', {
        event: 'actions.workflow.limit',
        repository: repositoryId,
        task: task.kind,
        reason: problem,
      });
      return { problem };
    }
  }
}
export const workflowWorkers = defineService<WorkflowWorkers>('actions.workflowWorkers');
