import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { cardTypes, projectTemplates, type ProjectType } from '../contract/projects.js';
import { CardRow } from '../models/card.js';
import { ColumnRow } from '../models/column.js';
import { ProjectRow } from '../models/project.js';
import { positionGap } from '../services/positions.js';

const users = 'accounts.users';
const maxTitle = 255;
const maxSorting = 127;

const typeOf = (row: SourceRow): ProjectType | undefined =>
  ([undefined, 'individual', 'repository', 'organization'] as const)[row.number('type')];

const projects: TableMapping = {
  id: 'projects.projects',
  table: 'project',
  idTable: ProjectRow,
  references: {
    repository_id: 'repositories.repositories',
    creator_id: { to: users, fallback: 0 },
  },
  related: { owner: { table: 'user', column: 'id', localColumn: 'owner_id' } },
  map(row) {
    const type = typeOf(row);
    if (!type) return skippedRow('it is a board of an unknown kind');
    if (type !== 'repository' && row.related('owner').length === 0) return skippedRow('its owner is missing');
    const template = row.has('template_type') ? 'template_type' : 'board_type';
    return targetRow(ProjectRow, {
      id: row.number('id'),
      type,
      repository_id: type === 'repository' ? row.number('repo_id') : null,
      owner_id: type === 'repository' ? 0 : row.number('owner_id'),
      title: row.text('title', maxTitle),
      description: row.text('description'),
      creator_id: row.number('creator_id'),
      is_closed: row.flag('is_closed'),
      template: projectTemplates[row.number(template)] ?? 'none',
      card_type: cardTypes[row.number('card_type')] ?? 'text_only',
      revision: 0,
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
      closed_at: row.flag('is_closed') ? row.time('closed_date_unix') : 0,
    });
  },
};

const columns: TableMapping = {
  id: 'projects.columns',
  table: 'project_board',
  idTable: ColumnRow,
  references: { project_id: 'projects.projects', creator_id: { to: users, fallback: 0 } },
  map(row) {
    const color = row.text('color').toLowerCase();
    return targetRow(ColumnRow, {
      id: row.number('id'),
      project_id: row.number('project_id'),
      title: row.text('title', maxTitle),
      color: /^#[0-9a-f]{6}$/.test(color) ? color : '',
      is_default: row.flag('default'),
      sorting: Math.min(maxSorting, row.number('sorting')),
      card_limit: 0,
      creator_id: row.number('creator_id'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  },
};

/** Older versions have cards in no column, which stand in the first place of the board: here in its default column. */
function columnOf(row: SourceRow): number | undefined {
  const own = row.number('project_board_id');
  const present = [...row.related('columns')].sort((one, other) => one.number('sorting') - other.number('sorting'));
  const column =
    present.find((one) => one.number('id') === own) ?? present.find((one) => one.flag('default')) ?? present[0];
  return column?.number('id');
}

const cards: TableMapping = {
  id: 'projects.cards',
  table: 'project_issue',
  idTable: CardRow,
  references: {
    project_id: 'projects.projects',
    column_id: 'projects.columns',
    issue_id: 'issues.issues',
  },
  related: {
    project: { table: 'project', column: 'id', localColumn: 'project_id' },
    columns: { table: 'project_board', column: 'project_id', localColumn: 'project_id' },
  },
  map(row) {
    const column = columnOf(row);
    if (column === undefined) return skippedRow('its board has no columns');
    const madeAt = row.related('project')[0]?.time('created_unix') ?? 0;
    return targetRow(CardRow, {
      id: row.number('id'),
      project_id: row.number('project_id'),
      column_id: column,
      issue_id: row.number('issue_id'),
      creator_id: 0,
      is_archived: false,
      position: (row.number('sorting') + 1) * positionGap,
      created_at: madeAt,
      updated_at: madeAt,
    });
  },
};

export const tables: readonly TableMapping[] = [projects, columns, cards];
