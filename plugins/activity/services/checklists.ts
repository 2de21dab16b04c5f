import type { Actor, Database, MemoryCache, PointReader, QueryCache } from '@mortise/plugin-sdk';
import type { DashboardStep } from '@mortise/accounts/api';
import { DismissedChecklistRow } from '../models/dismissed-checklist.js';

export type ChecklistName = DashboardStep['list'];

/** What is still to be done of one list. */
export interface Checklist {
  readonly name: ChecklistName;
  readonly steps: readonly { readonly step: DashboardStep; readonly isDone: boolean }[];
}

interface Deps {
  readonly database: Database;
  readonly steps: PointReader<DashboardStep>;
  /** Lists of which everything is done, by account and name: they are not asked for again. */
  readonly finished: MemoryCache<true>;
  readonly dismissed: QueryCache<readonly ChecklistName[]>;
}

/** The lists of first steps on the dashboard. */
export class Checklists {
  constructor(private readonly deps: Deps) {}

  /** Those of this user that have an open step and were not dismissed. */
  async open(actor: Actor): Promise<Checklist[]> {
    const names = (['site', 'user'] as const).filter(
      (name) => (name === 'user' || actor.isAdmin) && !this.deps.finished.get(`${actor.id} ${name}`),
    );
    if (names.length === 0) return [];
    const dismissed = await this.deps.dismissed.load(String(actor.id), () => this.#dismissedBy(actor.id));
    const lists = await Promise.all(
      names.filter((name) => !dismissed.includes(name)).map((name) => this.#read(name, actor)),
    );
    for (const { name, steps } of lists)
      if (steps.every(({ isDone }) => isDone)) this.deps.finished.set(`${actor.id} ${name}`, true);
    return lists.filter(({ steps }) => steps.some(({ isDone }) => !isDone));
  }

  async dismiss(userId: number, list: ChecklistName): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const row = { user_id: userId, list };
      if (!(await database.query(DismissedChecklistRow).findOne(row)))
        await database.query(DismissedChecklistRow).insert(row);
    });
  }

  async #read(name: ChecklistName, actor: Actor): Promise<Checklist> {
    const own = this.deps.steps.list().filter(({ list }) => list === name);
    const done = await Promise.all(own.map((step) => step.isDone(actor)));
    return { name, steps: own.map((step, at) => ({ step, isDone: done[at]! })) };
  }

  async #dismissedBy(userId: number): Promise<ChecklistName[]> {
    const rows = await this.deps.database.query(DismissedChecklistRow).where('user_id', userId);
    return rows.map(({ list }) => list);
  }
}
