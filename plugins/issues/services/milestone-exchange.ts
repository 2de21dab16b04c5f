import { Invalid, invalidInput, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Milestone } from '../api.js';
import { exchangedMilestones, type ExchangedMilestone } from './exchange-format.js';
import { MilestoneRow, toMilestone } from '../models/milestone.js';
import { t } from '../texts/index.js';

const readAtOnce = 100;
/** Few, since engines bound what one statement may hold. */
const writtenAtOnce = 20;
const never = '9999-12-31T23:59:59Z';

const timeIn = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** Years that no calendar of a project holds stand for no date: the format needs one. */
function deadlineOf(text: string): number {
  const time = Date.parse(text);
  return time > 0 && new Date(time).getUTCFullYear() < 9999 ? time : 0;
}

const exchangedOf = ({ title, description, dueAt, createdAt, updatedAt, closedAt, isClosed }: Milestone) =>
  ({
    title,
    description,
    deadline: dueAt ? timeIn(dueAt) : never,
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
    due_at: deadlineOf(deadline),
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
    private readonly parts: { readonly database: Database; readonly repositories: Pick<Repositories, 'hold'> },
  ) {}

  /** All of a repository, as the text of a JSON array, the oldest first; read some at a time. */
  async *export(repositoryId: number): AsyncGenerator<string> {
    let last = 0;
    yield '[';
    for (;;) {
      const rows = await this.parts.database
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
    const checked = exchangedMilestones.validate(given, { convert: true });
    if (checked.error) throw invalidInput(checked.error);
    return checked.value;
  }

  /** All or none, with their times; one whose title the repository has already stays as it is. Gives the new ones. */
  import(repositoryId: number, milestones: readonly ExchangedMilestone[]): Promise<Milestone[]> {
    const { database, repositories } = this.parts;
    return database.write(async () => {
      await repositories.hold(repositoryId);
      const known = new Set<string>();
      const titles = milestones.map(({ title }) => title);
      for (let at = 0; at < titles.length; at += readAtOnce) {
        const rows = await database
          .query(MilestoneRow)
          .select('title')
          .where('repository_id', repositoryId)
          .whereIn('title', titles.slice(at, at + readAtOnce));
        for (const { title } of rows) known.add(title);
      }
      const wanted = [...new Map(milestones.map((one) => [one.title, one])).values()].filter(
        ({ title }) => !known.has(title),
      );
      const before = await database.query(MilestoneRow).max('id as last').first();
      const rows = wanted.map((one) => rowOf(repositoryId, one));
      for (let at = 0; at < rows.length; at += writtenAtOnce)
        await database
          .knex()(MilestoneRow.tableName)
          .insert(rows.slice(at, at + writtenAtOnce));
      const last = Number((before as unknown as { readonly last: number | null } | undefined)?.last ?? 0);
      const made = await database
        .query(MilestoneRow)
        .where('repository_id', repositoryId)
        .where('id', '>', last)
        .orderBy('id')
        .limit(rows.length);
      return made.map(toMilestone);
    });
  }
}
