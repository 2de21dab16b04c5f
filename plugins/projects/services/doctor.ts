import { selectRows, type Database, type Finding } from '@mortise/plugin-sdk';
import { ProjectRow } from '../models/project.js';

interface Check {
  /** What a finding says, after the number of rows. */
  readonly text: string;
  readonly table: string;
  /** Ids of the rows that are wrong. */
  readonly ids: string;
  /** In place of deleting them. */
  readonly repair?: { readonly set: string; readonly unless: string };
}

const orphans = (table: string, column: string, other: string, text: string): Check => ({
  text,
  table,
  ids: `select id from ${table} where ${column} is not null and ${column} not in (select id from ${other})`,
});

const defaultColumn =
  '(select min(id) from project_column where project_column.project_id = project_card.project_id and is_default = 1)';

/** In this order: what is deleted or moved first decides what is wrong further down. */
const checks: readonly Check[] = [
  orphans('project', 'repository_id', 'repository', 'boards belong to repositories that are gone'),
  {
    text: 'boards belong to accounts that are gone',
    table: 'project',
    ids: `select id from project where repository_id is null and owner_id not in (select id from user)`,
  },
  orphans('project_column', 'project_id', 'project', 'columns belong to boards that are gone'),
  orphans('project_card', 'project_id', 'project', 'cards belong to boards that are gone'),
  orphans('project_card', 'issue_id', 'issue', 'cards stand for issues that are gone'),
  {
    text: 'boards have columns, none of which is the default one',
    table: 'project_column',
    ids: `select min(id) as id from project_column group by project_id having max(is_default) = 0`,
    repair: { set: 'is_default = 1', unless: '1 = 0' },
  },
  {
    text: 'cards stand in no column of their board',
    table: 'project_card',
    ids: `select project_card.id from project_card left join project_column on project_column.id = project_card.column_id
      where project_column.id is null or project_column.project_id <> project_card.project_id`,
    repair: { set: `column_id = ${defaultColumn}`, unless: `${defaultColumn} is null` },
  },
  {
    text: 'cards of boards of repositories stand for issues of other repositories',
    table: 'project_card',
    ids: `select project_card.id from project_card join project on project.id = project_card.project_id
      join issue on issue.id = project_card.issue_id
      where project.repository_id is not null and project.repository_id <> issue.repository_id`,
  },
  orphans('project_field', 'project_id', 'project', 'fields belong to boards that are gone'),
  orphans('project_field_option', 'field_id', 'project_field', 'options belong to fields that are gone'),
  {
    text: 'values belong to cards or fields that are gone, or to fields of another board',
    table: 'project_field_value',
    ids: `select project_field_value.id from project_field_value
      left join project_card on project_card.id = project_field_value.card_id
      left join project_field on project_field.id = project_field_value.field_id
      where project_card.id is null or project_field.id is null or project_field.project_id <> project_card.project_id`,
  },
  {
    text: 'values name options that are gone, or those of another field',
    table: 'project_field_value',
    ids: `select project_field_value.id from project_field_value
      left join project_field_option on project_field_option.id = project_field_value.option_id
      where project_field_value.option_id is not null
        and (project_field_option.id is null or project_field_option.field_id <> project_field_value.field_id)`,
  },
  {
    text: 'rules move cards to columns that are gone, or to those of another board',
    table: 'project_rule',
    ids: `select project_rule.id from project_rule left join project_column on project_column.id = project_rule.column_id
      where project_column.id is null or project_column.project_id <> project_rule.project_id`,
  },
  orphans('project_view', 'project_id', 'project', 'views belong to boards that are gone'),
];

/** Rows that one statement repairs. */
const perStatement = 500;

/** Boards with parts that belong nowhere, for instance after rows were changed or brought back by hand. */
export async function* checkProjects(database: Database, { fix }: { readonly fix: boolean }): AsyncGenerator<Finding> {
  for (const check of checks) {
    const find = async () => (await selectRows<{ id: number }>(database, check.ids, [])).map(({ id }) => id);
    const ids = await find();
    if (!ids.length) continue;
    // looked at again: what was put right meanwhile stays
    if (fix) await database.write(async () => repair(database, check, await find()));
    yield { level: 'warning', text: `${ids.length} ${check.text}`, fixed: fix };
  }
  yield { level: 'ok', text: `${await database.query(ProjectRow).resultSize()} project boards were looked at` };
}

async function repair(database: Database, { table, repair: change }: Check, ids: readonly number[]): Promise<void> {
  for (let first = 0; first < ids.length; first += perStatement) {
    const some = ids.slice(first, first + perStatement);
    const among = `id in (${some.map(() => '?').join(', ')})`;
    if (!change) await database.statement(`delete from ${table} where ${among}`, some);
    else {
      await database.statement(`delete from ${table} where ${among} and ${change.unless}`, some);
      await database.statement(`update ${table} set ${change.set} where ${among}`, some);
    }
  }
}
