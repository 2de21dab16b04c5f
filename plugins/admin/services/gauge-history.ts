import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger, SiteState } from '@mortise/plugin-sdk';

const sampleMs = 60_000;
/** Milliseconds between two looks at the event loop; what is measured has them in it. */
const resolution = 20;
/** Three hours. */
const maxSamples = 180;

/** What was seen at one moment. */
export interface GaugeSample {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Bytes that this process holds. */
  readonly memoryBytes: number;
  /** Milliseconds that this process answered too late, of the slowest hundredth since the sample before. */
  readonly eventLoopDelayMs: number;
  /** Jobs of the site that wait. */
  readonly queuedJobs: number;
}

/** A sample each minute, in the memory of the process: for a look at the last hours where nothing else keeps metrics. */
export class GaugeHistory {
  readonly #samples: GaugeSample[] = [];
  readonly #delay = monitorEventLoopDelay({ resolution });

  constructor(
    private readonly state: Pick<SiteState, 'queues'>,
    private readonly log: Logger,
  ) {}

  /** Oldest first. */
  list(): readonly GaugeSample[] {
    return this.#samples;
  }

  /** Gives what ends it. */
  start(): () => void {
    this.#delay.enable();
    const take = () =>
      this.take().catch((error: unknown) =>
        this.log.warn('could not sample the gauges', { event: 'admin.gauges', error: String(error) }),
      );
    void take();
    const timer = setInterval(() => void take(), sampleMs);
    timer.unref();
    return () => {
      clearInterval(timer);
      this.#delay.disable();
    };
  }

  async take(): Promise<void> {
    const queues = await this.state.queues();
    this.#samples.push({
      at: Date.now(),
      memoryBytes: process.memoryUsage.rss(),
      eventLoopDelayMs: Math.max(0, this.#delay.percentile(99) / 1e6 - resolution),
      queuedJobs: queues.reduce((sum, { waiting }) => sum + waiting, 0),
    });
    this.#delay.reset();
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }
}
