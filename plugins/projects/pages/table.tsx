import type { VNode } from 'preact';
import {
  formatDate,
  formatNumber,
  icon,
  lastPage,
  Pager,
  SortHead,
  Ago,
  Blankslate,
  type SortColumn,
} from '@mortise/plugin-sdk';
import type { Issue } from '@mortise/issues/api';
import type { FieldValue, ProjectField } from '../contract/fields.js';
import type { ProjectCard } from '../contract/projects.js';
import { fieldKey, isGroupField, layoutHref, tableGroups, type BoardLayout } from './board-layout.js';
import { filterQuery } from './board-address.js';
import type { BoardView } from './board.js';
import { Assignees, IssueTitle, LabelName, numberOf, StateIcon } from './card.js';
import { t } from '../texts/index.js';

export const rowsPerPage = 100;

interface TableView {
  readonly board: BoardView;
  readonly layout: BoardLayout;
  readonly rows: readonly ProjectCard[];
  readonly total: number;
  readonly page: number;
  readonly fields: readonly ProjectField[];
  /** By the id of the card. */
  readonly values: ReadonlyMap<number, readonly FieldValue[]>;
}

/** A value as people read it. */
const shownValue = ({ kind }: ProjectField, { value }: FieldValue): string =>
  kind === 'date'
    ? formatDate(Date.parse(`${value}T00:00:00Z`))
    : typeof value === 'number'
      ? formatNumber(value, Number.isInteger(value) ? 0 : 2)
      : value;

/** Heading of the group that a card belongs to. */
function groupOf({ board, layout, fields, values }: TableView, card: ProjectCard, issue: Issue): string {
  const { group } = layout;
  if (group === 'column') return board.columns.find(({ id }) => id === card.columnId)?.title ?? '';
  if (group === 'milestone') return board.details.milestones.get(issue.milestoneId)?.title ?? t('table.none');
  if (group === 'state') return issue.isClosed ? t('state.closed') : t('state.open');
  const field = fields.find((one) => fieldKey(one) === group);
  const value = field && values.get(card.id)?.find(({ fieldId }) => fieldId === field.id);
  return field && value ? shownValue(field, value) : t('table.none');
}

const columnsOf = (fields: readonly ProjectField[]): SortColumn[] => [
  { key: 'title', label: t('form.title') },
  { key: 'column', label: t('card.column') },
  { label: t('table.assignees') },
  { label: t('table.labels') },
  { key: 'milestone', label: t('table.milestone') },
  { key: 'due', label: t('table.due') },
  ...fields.map((field) => ({ key: fieldKey(field), label: <span dir="auto">{field.name}</span> })),
  { key: 'updated', label: t('table.updated'), first: 'desc' as const },
  { label: t('table.actions'), hidden: true },
];

export function TableLayout(view: TableView): VNode {
  const { board, layout, rows, total, page, fields } = view;
  const { path } = board;
  const filter = filterQuery(board.filter);
  const columns = columnsOf(fields);
  let last: string | undefined;
  return (
    <div>
      <GroupChoice {...view} />
      {rows.length ? null : <Blankslate level={3} icon="table" title={t('column.empty')} />}
      {rows.length ? (
        <div class="project-scroll mb-2" tabIndex={0} role="region" aria-label={t('view.table')}>
          <table class="project-table">
            <SortHead
              columns={columns}
              sort={layout.sort}
              order={layout.order}
              href={(sort, order) => layoutHref(path, layout, filter, { sort, order })}
            />
            <tbody>
              {rows.flatMap((card) => {
                const issue = board.details.issues.get(card.issueId);
                if (!issue) return [];
                const group = layout.group ? groupOf(view, card, issue) : undefined;
                const isNew = group !== undefined && group !== last;
                last = group;
                return [
                  ...(isNew
                    ? [
                        <tr key={`group-${card.id}`}>
                          <th colSpan={columns.length} scope="colgroup" class="project-group" dir="auto">
                            {group}
                          </th>
                        </tr>,
                      ]
                    : []),
                  <Row key={card.id} view={view} card={card} issue={issue} />,
                ];
              })}
            </tbody>
          </table>
        </div>
      ) : null}
      <Pager
        page={page}
        last={lastPage(total, rowsPerPage)}
        href={(to) => layoutHref(path, layout, filter, { page: to })}
      />
    </div>
  );
}

function Row({ view, card, issue }: { view: TableView; card: ProjectCard; issue: Issue }): VNode {
  const { board, fields, values } = view;
  const { details, deps, path, columns } = board;
  const cardValues = values.get(card.id) ?? [];
  const milestone = details.milestones.get(issue.milestoneId);
  return (
    <tr>
      <td class="project-title">
        <StateIcon issue={issue} details={details} /> <IssueTitle issue={issue} view={board} />{' '}
        <span class="color-fg-muted">{numberOf(issue, board)}</span>
      </td>
      <td dir="auto">{columns.find(({ id }) => id === card.columnId)?.title}</td>
      <td>
        <Assignees issue={issue} view={board} />
      </td>
      <td class="project-labels">
        {(details.labels.get(issue.id) ?? []).map((label) => (
          <LabelName key={label.id} label={label} deps={deps} />
        ))}
      </td>
      <td dir="auto">{milestone?.title}</td>
      <td class="no-wrap">{issue.dueAt ? formatDate(issue.dueAt) : null}</td>
      {fields.map((field) => {
        const value = cardValues.find(({ fieldId }) => fieldId === field.id);
        return (
          <td key={field.id} dir="auto">
            {value ? shownValue(field, value) : null}
          </td>
        );
      })}
      <td class="no-wrap">
        <Ago time={issue.updatedAt} />
      </td>
      <td>
        {board.mayMove ? (
          <a
            class="btn-octicon p-1"
            data-card-menu
            href={`${path}/cards/${issue.id}`}
            aria-label={t('card.menuOf', { title: issue.title })}
          >
            {icon('kebab-horizontal')}
          </a>
        ) : null}
      </td>
    </tr>
  );
}

const GroupChoice = ({ board, layout, fields }: TableView): VNode => (
  <form class="d-flex flex-wrap gap-2 mb-2" method="get" action={board.path}>
    {[...new URLSearchParams(layoutHref('', { ...layout, group: '' }, filterQuery(board.filter)).slice(1))].map(
      ([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ),
    )}
    <select class="form-select select-sm" name="group" aria-label={t('table.group')}>
      <option value="">{t('table.noGroups')}</option>
      {tableGroups.map((key) => (
        <option key={key} value={key} selected={layout.group === key}>
          {t(`table.by.${key}`)}
        </option>
      ))}
      {fields.filter(isGroupField).map((field) => (
        <option key={field.id} value={fieldKey(field)} selected={layout.group === fieldKey(field)}>
          {field.name}
        </option>
      ))}
    </select>
    <button class="btn btn-sm" type="submit">
      {t('table.group')}
    </button>
  </form>
);
