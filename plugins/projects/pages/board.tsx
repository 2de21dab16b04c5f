import type { ComponentChildren, VNode } from 'preact';
import { Csrf, csrfToken, formatNumber, icon, IslandTexts, PostButton, Tabs } from '@mortise/plugin-sdk';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import { viewLayouts } from '../api.js';
import type { ProjectCard, ProjectColumn } from '../contract/projects.js';
import type { ProjectView } from '../contract/fields.js';
import { isFiltered, type CardFilter } from '../services/card-search.js';
import type { CardCounts } from '../services/card-reader.js';
import { layoutHref, layoutQuery, type BoardLayout } from './board-layout.js';
import { filterQuery } from './board-address.js';
import { Card, type CardView } from './card.js';
import { SavedViews } from './saved-views.js';
import { ProjectActions, Progress } from './list.js';
import { t } from '../texts/index.js';

export interface BoardView extends CardView {
  readonly columns: readonly ProjectColumn[];
  /** By the id of the column; those that the visitor sees. */
  readonly counts: ReadonlyMap<number, CardCounts>;
  readonly cards: ReadonlyMap<number, readonly ProjectCard[]>;
  readonly filter: CardFilter;
  /** The filter finds more than the board shows. */
  readonly isCut: boolean;
  readonly description: SafeHtml | undefined;
  readonly mayWrite: boolean;
  readonly isSignedIn: boolean;
  readonly layout: BoardLayout;
  readonly savedViews: readonly ProjectView[];
  readonly isFollowed: boolean;
}

const totalOf = (counts: CardCounts | undefined): number => (counts ? counts.open + counts.closed : 0);

const allOf = (counts: ReadonlyMap<number, CardCounts>): CardCounts => {
  const all = { open: 0, closed: 0 };
  for (const { open, closed } of counts.values()) {
    all.open += open;
    all.closed += closed;
  }
  return all;
};

const icons = { columns: 'project', table: 'table', roadmap: 'project-roadmap' } as const;

/** What stands around the cards, however they are laid out. */
export function BoardFrame({ view, children }: { view: BoardView; children: ComponentChildren }): VNode {
  const { project, path, layout, filter, mayMove, isSignedIn, isCut, query } = view;
  return (
    <div
      id="project-board"
      data-board={project.id}
      data-revision={project.revision}
      data-path={path}
      data-csrf={isSignedIn ? csrfToken() : undefined}
      data-query={query}
      data-movable={mayMove ? '' : undefined}
    >
      <BoardHead {...view} />
      <SavedViews {...view} />
      <Tabs
        label={t('view.title')}
        entries={viewLayouts.map((key) => ({
          key,
          label: t(`view.${key}`),
          icon: icons[key],
          href: layoutHref(path, { ...layout, view: key, sort: '', group: '' }, filterQuery(filter)),
        }))}
        active={layout.view}
      />
      <FilterBar {...view} />
      {mayMove ? <AddBar {...view} /> : null}
      {isCut ? <p class="flash flash-warn">{t('board.cut')}</p> : null}
      <div data-live>{children}</div>
      <p class="sr-only" role="status" data-moved />
      <p class="sr-only" id="project-keys" hidden>
        {t('board.keys')}
      </p>
      <IslandTexts
        name="projects"
        texts={{
          moved: t('board.moved', { column: '{column}', position: '{position}' }),
          failed: t('board.failed'),
          close: t('board.closeMenu'),
        }}
      />
    </div>
  );
}

export const ColumnsLayout = (view: BoardView): VNode => (
  <>
    {view.columns.length ? null : <p class="color-fg-muted">{t('board.noColumns')}</p>}
    <div class="project-columns">
      {view.columns.map((column) => (
        <Column key={column.id} column={column} view={view} />
      ))}
    </div>
  </>
);

const BoardHead = ({ project, path, counts, description, mayWrite, isSignedIn, isFollowed }: BoardView): VNode => (
  <div class="mb-3">
    <div class="d-flex flex-wrap gap-2 mb-2">
      <h2 class="f3 flex-auto min-width-0 wb-break-word">
        <span dir="auto">{project.title}</span>
        {project.isClosed ? <span class="Label ml-2">{t('state.closed')}</span> : null}
      </h2>
      {mayWrite ? (
        <ProjectActions path={path} project={project}>
          {project.isClosed ? null : (
            <>
              <a class="btn btn-sm" href={`${path}/columns`}>
                {t('board.columns')}
              </a>
              <a class="btn btn-sm" href={`${path}/fields`}>
                {t('fields.title')}
              </a>
              <a class="btn btn-sm" href={`${path}/rules`}>
                {t('rules.title')}
              </a>
            </>
          )}
        </ProjectActions>
      ) : null}
    </div>
    {description ? <MarkupBody class="mb-2" html={description} /> : null}
    <div class="d-flex flex-wrap flex-items-center gap-3">
      <Progress counts={allOf(counts)} />
      <a class="f6" href={`${path}/archive`}>
        {icon('archive')} {t('board.archive')}
      </a>
      {isSignedIn ? (
        <PostButton
          action={`${path}/follow`}
          fields={{ follow: isFollowed ? 0 : 1 }}
          label={t(isFollowed ? 'follow.stopOf' : 'follow.startOf', { title: project.title })}
        >
          {icon(isFollowed ? 'bell-slash' : 'bell')} {t(isFollowed ? 'follow.stop' : 'follow.start')}
        </PostButton>
      ) : null}
    </div>
  </div>
);

const FilterBar = ({ path, filter, layout }: BoardView): VNode => {
  const field = (name: 'label' | 'milestone' | 'assignee') => (
    <input
      class="form-control input-sm project-filter"
      name={name}
      value={filter[name]}
      placeholder={t(`filter.${name}`)}
      aria-label={t(`filter.${name}`)}
      data-suggest={name === 'assignee' ? 'user' : undefined}
      autocomplete="off"
    />
  );
  return (
    <form class="d-flex flex-wrap gap-2 mb-2" role="search" aria-label={t('filter.title')} method="get" action={path}>
      {Object.entries(layoutQuery(layout)).map(([name, value]) =>
        value ? <input key={name} type="hidden" name={name} value={value} /> : null,
      )}
      <input
        class="form-control input-sm project-filter"
        type="search"
        name="q"
        value={filter.q}
        placeholder={t('filter.text')}
        aria-label={t('filter.text')}
      />
      {field('label')}
      {field('milestone')}
      {field('assignee')}
      <select class="form-select select-sm" name="state" aria-label={t('filter.state')}>
        <option value="">{t('filter.all')}</option>
        {(['open', 'closed'] as const).map((state) => (
          <option key={state} value={state} selected={filter.state === state}>
            {t(`state.${state}`)}
          </option>
        ))}
      </select>
      <button class="btn btn-sm" type="submit">
        {t('filter.apply')}
      </button>
      {isFiltered(filter) ? (
        <a class="btn btn-sm" href={layoutHref(path, layout, '')}>
          {t('filter.clear')}
        </a>
      ) : null}
    </form>
  );
};

const AddBar = ({ path, columns, query, scope }: BoardView): VNode => (
  <form class="d-flex flex-wrap gap-2 mb-3" method="post" action={`${path}/cards`}>
    <Csrf />
    <input type="hidden" name="query" value={query} />
    <input
      class="form-control input-sm project-address"
      name="address"
      placeholder={scope.repository ? t('add.address') : t('add.addressOfAccount')}
      aria-label={t('add.addressLabel')}
      required
      autocomplete="off"
    />
    <ColumnChoice columns={columns} />
    <button class="btn btn-sm" type="submit">
      {t('add.add')}
    </button>
    <a class="btn btn-sm" href={`${path}/add`}>
      {icon('search')} {t('add.search')}
    </a>
  </form>
);

/** A column to put cards in; the default one is chosen first. */
export const ColumnChoice = ({
  columns,
  chosen,
}: {
  columns: readonly ProjectColumn[];
  chosen?: number | undefined;
}): VNode | null =>
  columns.length ? (
    <select class="form-select select-sm" name="column" aria-label={t('card.column')}>
      {columns.map((column) => (
        <option
          key={column.id}
          value={column.id}
          selected={chosen === undefined ? column.isDefault : column.id === chosen}
        >
          {column.title}
        </option>
      ))}
    </select>
  ) : null;

function Column({ column, view }: { column: ProjectColumn; view: BoardView }): VNode {
  const { path, counts, cards, filter, mayMove } = view;
  const shown = cards.get(column.id) ?? [];
  const total = totalOf(counts.get(column.id));
  const isOver = column.cardLimit > 0 && total > column.cardLimit;
  const title = `column-${column.id}`;
  return (
    <section
      class="project-column"
      aria-labelledby={title}
      style={column.color ? `border-top-color:${column.color}` : undefined}
    >
      <div class="d-flex gap-2 mb-2">
        <h3 class="f5 flex-auto min-width-0 wb-break-word" id={title}>
          <span dir="auto" data-column-title>
            {column.title}
          </span>{' '}
          <span class={`Counter${isOver ? ' color-fg-danger' : ''}`}>
            {column.cardLimit
              ? t('column.countOf', { count: formatNumber(total), limit: formatNumber(column.cardLimit) })
              : formatNumber(total)}
          </span>
          {column.isDefault ? <span class="Label ml-1">{t('column.default')}</span> : null}
        </h3>
        {mayMove ? (
          <a
            class="btn-octicon p-1 flex-self-start"
            href={`${path}/columns#edit-${column.id}`}
            aria-label={t('column.editOf', { title: column.title })}
          >
            {icon('gear')}
          </a>
        ) : null}
      </div>
      {isOver ? <p class="f6 color-fg-danger">{t('column.over')}</p> : null}
      <ul class="project-cards list-style-none" data-column={column.id} aria-labelledby={title}>
        {shown.map((card) => (
          <Card key={card.id} card={card} view={view} />
        ))}
      </ul>
      {total > shown.length ? (
        <a class="f6" href={`${path}/columns/${column.id}`}>
          {t('column.more', { count: formatNumber(total) })}
        </a>
      ) : null}
      {mayMove && !isFiltered(filter) && shown.length === 0 && !column.isDefault ? (
        <PostButton
          action={`${path}/columns/${column.id}`}
          fields={{ action: 'delete' }}
          label={t('column.deleteOf', { title: column.title })}
        >
          {t('form.delete')}
        </PostButton>
      ) : null}
    </section>
  );
}
