import { randomUUID } from 'node:crypto';
import type { Database, Events } from '@mortise/plugin-sdk';
import { activityRecorded, type ActivityEvent, type ActivityEvents, type NewActivityEvent } from '../api.js';

/** Puts activity events into the outbox. */
export class ActivityRecorder implements ActivityEvents {
  constructor(private readonly deps: { readonly database: Database; readonly events: Events }) {}

  async record(given: readonly NewActivityEvent[]): Promise<void> {
    if (given.length === 0) return;
    const { database, events } = this.deps;
    const list = given.map((one) => ({ id: randomUUID(), at: Date.now(), data: {}, ...one })) as ActivityEvent[];
    await database.write(() => events.emit(activityRecorded, { activityEvents: list }));
  }
}
