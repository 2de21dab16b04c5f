import type { Knex } from 'knex';
import type { Database, Finding } from '@mortise/plugin-sdk';
import { ProjectRow } from '../models/project.js';

interface Check {
  /** What a finding says, after the number of rows. */
  readonly text: string;
  readonly table: string;
  /** Ids of the rows that are wrong. */
  readonly ids: (knex: Knex) => Knex.QueryBuilder;
  /** In place of deleting them. */
  readonly repair?: (knex: Knex, ids: readonly number[]) => Promise<void>;
}

const orphans = (table: string, column: string, other: string, text: string): Check => ({
  text,
  table,
  ids: (knex) => knex(table).whereNotNull(column).whereNotIn(column, knex(other).select('id')).select('id'),
});

/** Moves cards to the default column of their board; those of boards without one go. */
async function repairCards(knex: Knex, ids: readonly number[]): Promise<void> {
  const cards = () => knex('project_card').whereIn('id', ids);
  const defaults = () =>
    knex('project_column')
      .where('project_column.project_id', knex.ref('project_card.project_id'))
      .where('is_default', true);
  await cards().whereNotExists(defaults()).delete();
  await cards().update({ column_id: defaults().min('id') });
}

/** In this order: what is deleted or moved first decides what is wrong further down. */
const checks: readonly Check[] = [
  orphans('project', 'repository_id', 'repository', 'boards belong to repositories that are gone'),
  {
    text: 'boards belong to accounts that are gone',
    table: 'project',
    ids: (knex) =>
      knex('project').whereNull('repository_id').whereNotIn('owner_id', knex('user').select('id')).select('id'),
  },
  orphans('project_column', 'project_id', 'project', 'columns belong to boards that are gone'),
  orphans('project_card', 'project_id', 'project', 'cards belong to boards that are gone'),
  orphans('project_card', 'issue_id', 'issue', 'cards stand for issues that are gone'),
  {
    text: 'boards have columns, none of which is the default one',
    table: 'project_column',
    ids: (knex) =>
      knex('project_column')
        .min('id as id')
        .whereNotIn('project_id', knex('project_column').where('is_default', true).select('project_id'))
        .groupBy('project_id'),
    repair: async (knex, ids) => {
      await knex('project_column').whereIn('id', ids).update({ is_default: true });
    },
  },
  {
    text: 'cards stand in no column of their board',
    table: 'project_card',
    ids: (knex) => ofOthers(knex, 'project_card', 'project_column', 'column_id'),
    repair: repairCards,
  },
  {
    text: 'cards of boards of repositories stand for issues of other repositories',
    table: 'project_card',
    ids: (knex) =>
      knex('project_card')
        .join('project', 'project.id', 'project_card.project_id')
        .join('issue', 'issue.id', 'project_card.issue_id')
        .whereNot('project.repository_id', knex.ref('issue.repository_id'))
        .select('project_card.id'),
  },
  orphans('project_field', 'project_id', 'project', 'fields belong to boards that are gone'),
  orphans('project_field_option', 'field_id', 'project_field', 'options belong to fields that are gone'),
  {
    text: 'values belong to cards or fields that are gone, or to fields of another board',
    table: 'project_field_value',
    ids: (knex) =>
      knex('project_field_value')
        .leftJoin('project_card', 'project_card.id', 'project_field_value.card_id')
        .leftJoin('project_field', 'project_field.id', 'project_field_value.field_id')
        .whereNull('project_card.id')
        .orWhereNull('project_field.id')
        .orWhereNot('project_field.project_id', knex.ref('project_card.project_id'))
        .select('project_field_value.id'),
  },
  {
    text: 'values name options that are gone, or those of another field',
    table: 'project_field_value',
    ids: (knex) =>
      knex('project_field_value')
        .leftJoin('project_field_option', 'project_field_option.id', 'project_field_value.option_id')
        .whereNotNull('project_field_value.option_id')
        .where((wrong) => {
          void wrong.whereNull('project_field_option.id');
          void wrong.orWhereNot('project_field_option.field_id', knex.ref('project_field_value.field_id'));
        })
        .select('project_field_value.id'),
  },
  {
    text: 'rules move cards to columns that are gone, or to those of another board',
    table: 'project_rule',
    ids: (knex) => ofOthers(knex, 'project_rule', 'project_column', 'column_id'),
  },
  orphans('project_view', 'project_id', 'project', 'views belong to boards that are gone'),
];

/** Rows that name something that is gone or belongs to another board. */
const ofOthers = (knex: Knex, table: string, other: string, column: string) =>
  knex(table)
    .leftJoin(other, `${other}.id`, `${table}.${column}`)
    .whereNull(`${other}.id`)
    .orWhereNot(`${other}.project_id`, knex.ref(`${table}.project_id`))
    .select(`${table}.id`);

/** Rows that one statement repairs. */
const perStatement = 500;

/** Boards with parts that belong nowhere, for instance after rows were changed or brought back by hand. */
export async function* checkProjects(database: Database, { fix }: { readonly fix: boolean }): AsyncGenerator<Finding> {
  for (const check of checks) {
    const find = async () => ((await check.ids(database.knex())) as { id: number }[]).map(({ id }) => id);
    const ids = await find();
    if (!ids.length) continue;
    // looked at again: what was put right meanwhile stays
    if (fix) await database.write(async () => repair(database.knex(), check, await find()));
    yield { level: 'warning', text: `${ids.length} ${check.text}`, fixed: fix };
  }
  yield { level: 'ok', text: `${await database.query(ProjectRow).resultSize()} project boards were looked at` };
}

async function repair(knex: Knex, { table, repair: change }: Check, ids: readonly number[]): Promise<void> {
  for (let first = 0; first < ids.length; first += perStatement) {
    const some = ids.slice(first, first + perStatement);
    if (change) await change(knex, some);
    else await knex(table).whereIn('id', some).delete();
  }
}
