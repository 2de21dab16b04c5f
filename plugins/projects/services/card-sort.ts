import type { QueryBuilder } from 'objection';
import type { CardRow } from '../models/card.js';

/** What tables of cards can be sorted by, beside the fields of the board. */
const cardSortKeys = ['column', 'title', 'number', 'state', 'created', 'updated', 'due', 'milestone'] as const;
export type CardSortKey = (typeof cardSortKeys)[number];

export interface CardSort {
  /** Of the issue, or a field of the board. */
  readonly by: CardSortKey | { readonly fieldId: number };
  readonly isDescending?: boolean;
}

const issueColumns: Readonly<Record<Exclude<CardSortKey, 'column'>, string>> = {
  title: 'sorted_issue.title',
  number: 'sorted_issue.number',
  state: 'sorted_issue.is_closed',
  created: 'sorted_issue.created_at',
  updated: 'sorted_issue.updated_at',
  due: 'sorted_issue.due_at',
  milestone: 'sorted_issue.milestone_id',
};

/** Columns by which nothing is set where they are empty: such cards come last, whatever the direction. */
const lastWhereEmpty: readonly string[] = [issueColumns.due, issueColumns.milestone];

/** Orders a query of `project_card`; cards without what they are sorted by come last. */
export function sortCards(query: QueryBuilder<CardRow>, sort: readonly CardSort[]): void {
  if (sort.some(({ by }) => typeof by === 'string' && by !== 'column'))
    void query.join('issue as sorted_issue', 'sorted_issue.id', 'project_card.issue_id');
  // A second order by the same key changes nothing, and would join its table twice.
  const orders = sort.filter(({ by }, at) => sort.findIndex((one) => one.by === by) === at);
  for (const [index, { by, isDescending }] of orders.entries()) {
    const direction = isDescending ? 'desc' : 'asc';
    if (by === 'column') void joinColumn(query).orderBy('sorted_column.sorting', direction).orderBy('sorted_column.id');
    else if (typeof by === 'string') {
      const column = issueColumns[by];
      if (lastWhereEmpty.includes(column))
        void query.orderByRaw(`case when coalesce(${column}, 0) = 0 then 1 else 0 end`);
      void query.orderBy(column, direction);
    } else sortByField(query, by.fieldId, direction, `sorted_${index}`);
  }
}

const joinColumn = (query: QueryBuilder<CardRow>) =>
  query.join('project_column as sorted_column', 'sorted_column.id', 'project_card.column_id');

function sortByField(query: QueryBuilder<CardRow>, fieldId: number, direction: 'asc' | 'desc', name: string): void {
  const option = `${name}_option`;
  void query
    .leftJoin(`project_field_value as ${name}`, (on) => {
      void on.on(`${name}.card_id`, 'project_card.id').andOnVal(`${name}.field_id`, fieldId);
    })
    .leftJoin(`project_field_option as ${option}`, `${option}.id`, `${name}.option_id`)
    .orderByRaw(`case when ${name}.id is null then 1 else 0 end`)
    .orderBy(`${option}.sorting`, direction)
    .orderBy(`${name}.number_value`, direction)
    .orderBy(`${name}.text_value`, direction);
}
