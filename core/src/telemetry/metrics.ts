import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { Problem, type Metrics } from '@mortise/plugin-sdk';
import type { CallPlugin } from '../contracts.js';

export interface MetricsRoom extends Metrics {
  /** What `/metrics` answers. */
  text(): Promise<{ contentType: string; text: string }>;
  readonly call: CallPlugin;
  close(): void;
}

/** Prometheus metrics of one host: a registry of its own, so that two hosts in one process never meet. */
export function createMetrics(options: { processMetrics: boolean }): MetricsRoom {
  const registry = new Registry();
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
  // Looking a labelled child up costs more than observing, and the set of calls is small and known.
  const timers = new Map<string, ReturnType<typeof durations.labels>>();
  const timer = (owner: string, what: string) => {
    const key = `${owner}\0${what}`;
    let found = timers.get(key);
    if (!found) timers.set(key, (found = durations.labels(owner, what)));
    return found;
  };

  return {
    counter(name, help, labels = []) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
      return { inc: (values = {}, by = 1) => counter.inc(values, by) };
    },
    histogram(name, help, labels = [], buckets) {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        ...(buckets && { buckets: [...buckets] }),
      });
      return { observe: (values, value) => histogram.observe(values, value) };
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
    async call(owner, what, work) {
      const started = performance.now();
      try {
        return await work();
      } catch (error) {
        if (!Problem.is(error)) errors.inc({ plugin: owner, call: what });
        throw error;
      } finally {
        timer(owner, what).observe((performance.now() - started) / 1000);
      }
    },
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    close: () => registry.clear(),
  };
}
