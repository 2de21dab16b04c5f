import { randomUUID } from 'node:crypto';
import type { Database, Events } from '@mortise/plugin-sdk';
import { announced, type Announcement, type Announcements, type NewAnnouncement } from '../api.js';

/** Puts announcements into the outbox. */
export class Announcer implements Announcements {
  constructor(private readonly deps: { readonly database: Database; readonly events: Events }) {}

  async announce(given: readonly NewAnnouncement[]): Promise<void> {
    if (given.length === 0) return;
    const { database, events } = this.deps;
    const list = given.map((one) => ({ id: randomUUID(), at: Date.now(), data: {}, ...one })) as Announcement[];
    await database.write(() => events.emit(announced, { announcements: list }));
  }
}
