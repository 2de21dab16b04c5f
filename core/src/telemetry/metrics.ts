import { createRequire } from 'node:module';
import type * as prometheus from 'prom-client';
import { Problem, type GaugeReading, type Metrics } from '@mortise/plugin-sdk';
import type { CallPlugin } from '../contracts.js';
import { attributeError } from '../plugin-errors/boundary.js';
import { MetricsAggregator } from './aggregate.js';

export interface ManagedMetrics extends Metrics {
  /** What `/metrics` answers. */
  text(): Promise<{ contentType: string; text: string }>;
  readonly call: CallPlugin;
  /** A plugin failed where nobody called it through {@link call}. */
  failed(owner: string, what: string): void;
  close(): void;
}

const readingMs = 1500;

/** Prometheus metrics of one host: a registry of its own, so that two hosts in one process never meet. */
export function createMetrics(options: { enabled: boolean; processMetrics: boolean }): ManagedMetrics {
  if (!options.enabled) return nothingCounted;
  const { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = createRequire(
    import.meta.url,
  )('prom-client') as typeof prometheus;
  const registry = new Registry();
  /** Of the whole site: read only by the process that is asked. */
  const ofSite = new Registry();
  const aggregator = new MetricsAggregator(() => registry.getMetricsAsJSON());
  if (options.processMetrics) collectDefaultMetrics({ register: registry });

  const durations = new Histogram({
    name: 'mortise_plugin_call_seconds',
    help: 'Time of calls into plugins',
    labelNames: ['plugin', 'call'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'mortise_plugin_errors_total',
    help: 'Calls into plugins that failed for other reasons than a refusal',
    labelNames: ['plugin', 'call'],
    registers: [registry],
  });
  const timers = children((plugin, call) => durations.labels(plugin!, call!));

  return {
    counter(name, help, labels = []) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
      const child = children((...values) => counter.labels(...values));
      return { inc: (values = {}, by = 1) => child(labels.map((label) => values[label] ?? '')).inc(by) };
    },
    histogram(name, help, labels = [], buckets) {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        ...(buckets && { buckets: [...buckets] }),
      });
      const child = children((...values) => histogram.labels(...values));
      return { observe: (values, value) => child(labels.map((label) => values[label] ?? '')).observe(value) };
    },
    gauge(name, help, read, { labels = [], scope = 'process' } = {}) {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [scope === 'site' ? ofSite : registry],
        async collect() {
          this.reset();
          const readings = await reading(read);
          if (typeof readings === 'number') this.set(readings);
          else for (const one of readings ?? []) this.set(one.labels, one.value);
        },
      });
    },
    async call(owner, what, work) {
      const started = performance.now();
      try {
        return await work();
      } catch (error) {
        if (!Problem.is(error) && attributeError(error, owner)) errors.inc({ plugin: owner, call: what });
        throw error;
      } finally {
        timers([owner, what]).observe((performance.now() - started) / 1000);
      }
    },
    failed: (owner, what) => errors.inc({ plugin: owner, call: what }),
    async text() {
      const others = await aggregator.others();
      const own = others.length
        ? await AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...others] as object[]).metrics()
        : await registry.metrics();
      return { contentType: registry.contentType, text: `${own}\n${await ofSite.metrics()}` };
    },
    close() {
      aggregator.close();
      registry.clear();
      ofSite.clear();
    },
  };
}

/** Always answers in time; a gauge that has not been read by then is left out. */
async function reading(read: () => GaugeReading | Promise<GaugeReading>): Promise<GaugeReading | undefined> {
  let clock: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    clock = setTimeout(() => resolve(undefined), readingMs);
  });
  try {
    return await Promise.race([(async () => read())(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(clock);
  }
}

/** Metrics are off: nothing is loaded and nothing is counted. */
const nothingCounted: ManagedMetrics = {
  counter: () => ({ inc() {} }),
  histogram: () => ({ observe() {} }),
  gauge() {},
  async call(owner, _what, work) {
    try {
      return await work();
    } catch (error) {
      attributeError(error, owner);
      throw error;
    }
  },
  failed() {},
  text: async () => ({ contentType: 'text/plain', text: '' }),
  close() {},
};

/** Looking a labelled child up costs the library more than counting, and the sets of labels are small: kept by values. */
function children<T>(make: (...values: string[]) => T): (values: readonly string[]) => T {
  const known = new Map<string, T>();
  return (values) => {
    const key = values.join('\0');
    let child = known.get(key);
    if (child === undefined) known.set(key, (child = make(...values)));
    return child;
  };
}
