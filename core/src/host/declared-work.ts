import type { Composition } from '../compose.js';
import type { HostServices } from './services.js';

/**
 * Subscriptions, jobs and schedules of plugins. They hold from the beginning: also a one-off command emits events and
 * enqueues jobs.
 */
export function registerDeclaredWork(
  { container, declarations }: Composition,
  { events, jobs }: Pick<HostServices, 'events' | 'jobs'>,
): void {
  for (const one of declarations.subscriptions) {
    const { owner, id, event, when, formerly, wants, readAhead, dependencies, handle } = one;
    events.subscribe({
      owner,
      id,
      event,
      when,
      formerly,
      ...(wants && { wants: (payload: unknown) => wants(payload, container.resolve(dependencies, owner)) }),
      ...(readAhead && {
        readAhead: (payloads: readonly unknown[]) => readAhead(payloads, container.resolve(dependencies, owner)),
      }),
      handle: (payload, context) => handle(payload, container.resolve(dependencies, owner), context),
    });
  }
  for (const { owner, job, kind, dependencies, run } of declarations.jobs.values())
    jobs.handle(owner, job, kind, (payload, context) => run(payload, container.resolve(dependencies, owner), context));
  for (const { owner, id, cron, job, payload, options } of declarations.schedules)
    jobs.schedule(owner, id, cron, job, payload, options);
}
