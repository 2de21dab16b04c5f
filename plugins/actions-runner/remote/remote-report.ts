import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { Result as WireResult } from '@mortise/actions-runner-protocol/schema';
import type { Result } from '@mortise/actions/workflow';
import type { LogLine } from '../engine/job-log.js';
import type { JobReporter, StepState } from '../engine/types.js';
import { isRefused, protocolResult, type RunnerClient } from './client.js';

/** Lines that wait at most: a job that writes faster waits for the server. */
const maxWaiting = 5000;
const maxRowsPerRequest = 1000;
const maxCharactersPerRequest = 1_000_000;
/** Milliseconds. */
const logIntervalMs = 1000;
const stateIntervalMs = 5000;
/** How long a server that does not answer is waited for at the end. */
const finishTimeoutMs = 10 * 60_000;

/** Gives the server the summary of a step; throws only where another attempt may help. */
export type SendSummary = (step: number, markdown: string) => Promise<void>;

interface ReportOptions {
  /** Nothing waits for the server any more after it. */
  readonly halt?: AbortSignal | undefined;
  /** Undefined where the server takes none. */
  readonly sendSummary?: SendSummary | undefined;
}

/** Tells the server of a job: its log, resent until it is acknowledged, its steps, its outputs and its end. */
export class RemoteReport implements JobReporter {
  readonly #client: RunnerClient;
  readonly #taskId: bigint;
  readonly #onCancel: () => void;
  /** Lines that are not acknowledged, the first of which has the number `#first`. */
  #lines: LogLine[] = [];
  #first = 0;
  readonly #steps = new Map<number, StepState>();
  readonly #outputs = new Map<string, string>();
  /** Of steps, not sent yet. */
  readonly #summaries = new Map<number, string>();
  readonly #sendSummary: SendSummary | undefined;
  readonly #started = new Date();
  #waiting: (() => void)[] = [];
  #isChanged = true;
  #isClosed = false;
  #isGone = false;
  #lastState = 0;
  readonly #loop: Promise<void>;
  readonly #halt: AbortSignal | undefined;
  #wake: () => void = () => undefined;
  readonly #unblock = () => {
    for (const go of this.#waiting.splice(0)) go();
  };

  constructor(client: RunnerClient, taskId: bigint, onCancel: () => void, more: ReportOptions = {}) {
    const { halt, sendSummary } = more;
    this.#sendSummary = sendSummary;
    this.#halt = halt;
    halt?.addEventListener('abort', this.#unblock, { once: true });
    this.#client = client;
    this.#taskId = taskId;
    this.#onCancel = onCancel;
    this.#loop = this.#run();
  }

  write(line: LogLine): void {
    if (this.#isGone) return;
    this.#lines.push(line);
    if (this.#lines.length >= maxRowsPerRequest) this.#wake();
  }

  async ready(): Promise<void> {
    if (this.#lines.length < maxWaiting || this.#isGone || this.#halt?.aborted) return;
    this.#wake();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  step(index: number, state: StepState): void {
    this.#steps.set(index, state);
    this.#isChanged = true;
    this.#wake();
  }

  summary(index: number, markdown: string): void {
    if (this.#sendSummary) this.#summaries.set(index, markdown);
  }

  outputs(outputs: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(outputs)) this.#outputs.set(key, value);
  }

  /** Sends what is left and the result, again and again until the server has them, stays away too long, or the runner halts. */
  async finish(result: Result): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#loop;
    this.#halt?.removeEventListener('abort', this.#unblock);
    const until = Date.now() + finishTimeoutMs;
    for (let wait = 500; !this.#isGone; wait = Math.min(wait * 2, 15_000)) {
      try {
        while (this.#lines.length > 0) await this.#sendLines(false);
        await this.#sendLines(true);
        await this.#sendSummaries();
        await this.#sendState(undefined);
        await this.#sendState(result);
        return;
      } catch (error) {
        if (isRefused(error) || Date.now() > until || this.#halt?.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  async #run(): Promise<void> {
    let wait = 0;
    while (!this.#isClosed && !this.#isGone) {
      await this.#sleep(wait);
      if (this.#isClosed) return;
      try {
        if (this.#lines.length > 0) await this.#sendLines(false);
        await this.#sendSummaries();
        if (this.#isChanged || Date.now() - this.#lastState >= stateIntervalMs) await this.#sendState(undefined);
        wait = this.#lines.length >= maxRowsPerRequest ? 0 : logIntervalMs;
      } catch (error) {
        if (isRefused(error)) this.#abandon();
        wait = Math.min(Math.max(wait, logIntervalMs) * 2, 10_000);
      }
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The server knows nothing of this runner or task any more: the job is ended. */
  #abandon(): void {
    this.#isGone = true;
    this.#lines = [];
    this.#unblock();
    this.#onCancel();
  }

  async #sendLines(noMore: boolean): Promise<void> {
    const rows: LogLine[] = [];
    let characters = 0;
    for (const line of this.#lines) {
      characters += line.content.length;
      if (rows.length > 0 && (rows.length >= maxRowsPerRequest || characters > maxCharactersPerRequest)) break;
      rows.push(line);
    }
    const index = this.#first;
    try {
      const { ackIndex } = await this.#client.updateLog(
        {
          taskId: this.#taskId,
          index: BigInt(index),
          rows: rows.map(({ time, content }) => ({ time: timestampFromDate(time), content })),
          noMore,
        },
        { timeoutMs: 30_000 },
      );
      const known = Math.min(Math.max(Number(ackIndex) - index, 0), this.#lines.length);
      this.#lines.splice(0, known);
      this.#first += known;
      if (known < rows.length) throw new Error('the server has not taken all lines');
    } catch (error) {
      // Sealed: nothing more is taken.
      if (!(error instanceof ConnectError) || error.code !== Code.AlreadyExists) throw error;
      this.#lines = [];
    }
    if (this.#lines.length < maxWaiting) this.#unblock();
  }

  async #sendSummaries(): Promise<void> {
    for (const [step, markdown] of this.#summaries) {
      await this.#sendSummary?.(step, markdown);
      if (this.#summaries.get(step) === markdown) this.#summaries.delete(step);
    }
  }

  async #sendState(result: Result | undefined): Promise<void> {
    this.#isChanged = false;
    const steps = [...this.#steps]
      .sort(([a], [b]) => a - b)
      .map(([index, state]) => ({
        id: BigInt(index),
        result: protocolResult(state.result),
        startedAt: state.startedAt && timestampFromDate(state.startedAt),
        stoppedAt: state.stoppedAt && timestampFromDate(state.stoppedAt),
        logIndex: BigInt(state.logIndex),
        logLength: BigInt(state.logLength),
      }));
    const end =
      result === undefined ? {} : { result: protocolResult(result), stoppedAt: timestampFromDate(new Date()) };
    try {
      const answer = await this.#client.updateTask(
        {
          state: { id: this.#taskId, startedAt: timestampFromDate(this.#started), steps, ...end },
          outputs: Object.fromEntries(this.#outputs),
        },
        { timeoutMs: 30_000 },
      );
      for (const key of answer.sentOutputs) this.#outputs.delete(key);
      this.#lastState = Date.now();
      if (answer.state?.result === WireResult.CANCELLED) this.#onCancel();
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }
}
