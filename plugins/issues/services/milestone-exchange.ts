import { Invalid, invalidInput, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Milestone } from '../api.js';
import { dueTimeOf } from './due-date.js';
import { exchangedMilestones, maxExchanged, type ExchangedMilestone } from './exchange-format.js';
import { MilestoneRow, toMilestone } from '../models/milestone.js';
import { t } from '../texts/index.js';

const readAtOnce = 100;
/** Few, since engines bound what one statement may hold. */
const writtenAtOnce = 20;
const noDeadline = '9999-12-31T23:59:59Z';

const timeIn = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

const exchangedOf = ({ title, description, dueAt, createdAt, updatedAt, closedAt, isClosed }: Milestone) =>
  ({
    title,
    description,
    deadline: dueAt ? timeIn(dueAt) : noDeadline,
    created: timeIn(createdAt),
    updated: timeIn(updatedAt),
    closed: closedAt ? timeIn(closedAt) : null,
    state: isClosed ? 'closed' : 'open',
  }) satisfies ExchangedMilestone;

function rowOf(repositoryId: number, { title, description, deadline, state, ...times }: ExchangedMilestone) {
  const [created, updated] = [Date.parse(times.created), Date.parse(times.updated)];
  const isClosed = state === 'closed';
  return {
    repository_id: repositoryId,
    title,
    lower_title: title.toLowerCase(),
    description,
    due_at: dueTimeOf(Date.parse(deadline)),
    is_closed: isClosed,
    closed_at: isClosed ? (times.closed ? Date.parse(times.closed) : updated) : 0,
    open_count: 0,
    closed_count: 0,
    created_at: created,
    updated_at: updated,
  };
}

/** Milestones in a format that other services and programs know (MIG-02 to MIG-10). */
export class MilestoneExchange {
  constructor(
    private readonly deps: { readonly database: Database; readonly repositories: Pick<Repositories, 'hold'> },
  ) {}

  /** All of a repository, as the text of a JSON array, the oldest first; read some at a time. */
  async *export(repositoryId: number): AsyncGenerator<string> {
    let last = 0;
    yield '[';
    for (;;) {
      const rows = await this.deps.database
        .query(MilestoneRow)
        .where('repository_id', repositoryId)
        .where('id', '>', last)
        .orderBy('id')
        .limit(readAtOnce);
      for (const row of rows) {
        yield `${last ? ',' : ''}\n${JSON.stringify(exchangedOf(toMilestone(row)), null, 2)}`;
        last = row.id;
      }
      if (rows.length < readAtOnce) break;
    }
    yield '\n]\n';
  }

  /** Those of a file. Invalid, with what is wrong where. */
  read(text: string): readonly ExchangedMilestone[] {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      throw Invalid(t.later('exchange.noJson'), { inputs: { file: t.later('exchange.noJson') } });
    }
    // Checked first: to look through the fields of more would hold all others up.
    if (Array.isArray(given) && given.length > maxExchanged) {
      const refused = t.later('exchange.tooMany', { limit: maxExchanged });
      throw Invalid(refused, { inputs: { file: refused } });
    }
    const checked = exchangedMilestones.validate(given, { convert: true });
    if (checked.error) throw invalidInput(checked.error);
    return checked.value;
  }

  /** All or none, with their times; one whose title the repository has already stays as it is. Gives the new ones. */
  import(repositoryId: number, milestones: readonly ExchangedMilestone[]): Promise<Milestone[]> {
    const { database, repositories } = this.deps;
    return database.write(async () => {
      await repositories.hold(repositoryId);
      const titles = milestones.map(({ title }) => title);
      const known = new Set((await this.#titled(repositoryId, titles, ['title'])).map(({ title }) => title));
      const wanted = [...new Map(milestones.map((one) => [one.title, one])).values()].filter(
        ({ title }) => !known.has(title),
      );
      const rows = wanted.map((one) => rowOf(repositoryId, one));
      for (let at = 0; at < rows.length; at += writtenAtOnce)
        await database
          .knex()(MilestoneRow.tableName)
          .insert(rows.slice(at, at + writtenAtOnce));
      // By their titles, for others may create milestones meanwhile.
      const made = await this.#titled(
        repositoryId,
        wanted.map(({ title }) => title),
        ['*'],
      );
      return made.sort((one, other) => one.id - other.id).map(toMilestone);
    });
  }

  async #titled(repositoryId: number, titles: readonly string[], columns: readonly string[]): Promise<MilestoneRow[]> {
    const milestones: MilestoneRow[] = [];
    for (let at = 0; at < titles.length; at += readAtOnce) {
      const some = new Set(titles.slice(at, at + readAtOnce));
      const rows = await this.deps.database
        .query(MilestoneRow)
        .select(...columns)
        .where('repository_id', repositoryId)
        .whereIn('title', [...some]);
      // Databases may take titles for the same that differ in case.
      milestones.push(...rows.filter(({ title }) => some.has(title)));
    }
    return milestones;
  }
}
