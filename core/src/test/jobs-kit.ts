import { defineJob, type JobContext, type JobKind } from '@mortise/plugin-sdk';
import type { KernelDatabase, ManagedJobs } from '../contracts.js';
import { createJobs, queueSettings, type QueueSettings } from '../jobs/index.js';
import { plainCall, type TestDatabase } from './data-kit.js';

export const greet = defineJob<{ name: string }>('greetings.greet');
/** Once a year, half a year from now: never while the tests run. */
export const yearly = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`;

/** Job queues of a test database, as of one or several processes; they stop together. */
export class JobsKit {
  /** Names that the default handler was given. */
  readonly ran: string[] = [];
  readonly #opened: ManagedJobs[] = [];

  constructor(private readonly test: TestDatabase) {}

  open(database: KernelDatabase = this.test.database, settings: Partial<QueueSettings> = {}): ManagedJobs {
    const { broker, log } = this.test;
    const made = createJobs({
      database,
      broker,
      log,
      call: plainCall,
      settings: queueSettings.validate(settings).value,
    });
    this.#opened.push(made);
    return made;
  }

  handling(
    jobs: ManagedJobs,
    kind: JobKind = {},
    run: (payload: { name: string }, context: JobContext) => Promise<void> | void = ({ name }) =>
      void this.ran.push(name),
  ): ManagedJobs {
    jobs.handle('greetings', greet, kind, async (payload, context) => run(payload as { name: string }, context));
    return jobs;
  }

  async close(): Promise<void> {
    for (const jobs of this.#opened) await jobs.stop();
  }
}
