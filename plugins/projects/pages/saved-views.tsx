import type { VNode } from 'preact';
import { Csrf, listHref, PostButton, SelectField, Tabs, TextField, type FieldOption } from '@mortise/plugin-sdk';
import { viewLayouts } from '../api.js';
import type { ProjectView } from '../contract/fields.js';
import { maxViewTitle } from '../services/views.js';
import { savedHref } from './board-layout.js';
import { boardHref } from './board-address.js';
import type { BoardView } from './board.js';
import { t } from '../texts/index.js';

/** The address says the same in any order of its values; values that a board passes over do not count. */
const sortedQuery = (query: string): string => {
  const values = new URLSearchParams(query);
  values.sort();
  return values.toString();
};

/** Is the board shown in another way than the view was saved? */
const isChanged = (view: ProjectView, query: string): boolean =>
  sortedQuery(savedHref('', view).slice(1)) !== sortedQuery(query);

/** The saved views as tabs, and forms that save what is looked at. */
export function SavedViews({ path, query, layout, savedViews, mayMove }: BoardView): VNode | null {
  const current = savedViews.find(({ id }) => id === layout.saved);
  if (!savedViews.length && !mayMove) return null;
  return (
    <div class="d-flex flex-wrap flex-items-start gap-2 mb-2" data-saved-views>
      {savedViews.length ? (
        <div class="flex-auto min-width-0">
          <Tabs
            label={t('saved.title')}
            entries={[
              { key: '0', label: t('saved.all'), href: listHref(path, { view: 'columns' }) },
              ...savedViews.map((view) => ({
                key: String(view.id),
                label: view.title,
                href: savedHref(path, view),
              })),
            ]}
            active={String(current?.id ?? 0)}
          />
        </div>
      ) : null}
      {mayMove ? (
        <div class="d-flex flex-wrap gap-2">
          {current && isChanged(current, query) ? (
            <PostButton
              action={`${path}/views/${current.id}`}
              fields={{ action: 'replace', query }}
              label={t('saved.replaceOf', { title: current.title })}
            >
              {t('saved.replace')}
            </PostButton>
          ) : null}
          <a class="btn btn-sm" href={`${path}/views?${query}`}>
            {t(savedViews.length ? 'saved.manage' : 'saved.save')}
          </a>
        </div>
      ) : null}
    </div>
  );
}

interface PageProps {
  readonly path: string;
  readonly title: string;
  /** Of the board as it was looked at. */
  readonly query: string;
  readonly views: readonly ProjectView[];
}

/** The forms by which views are saved, renamed, put in order and deleted. */
export const SavedViewsPage = ({ path, title, query, views }: PageProps): VNode => (
  <div>
    <p class="mb-2">
      <a href={boardHref(path, query)} dir="auto">
        {title}
      </a>
    </p>
    <h2 class="f3 mb-3">{t('saved.title')}</h2>
    <section class="Box p-3 mb-3" aria-label={t('saved.save')}>
      <form method="post" action={`${path}/views`}>
        <Csrf />
        <input type="hidden" name="query" value={query} />
        <TextField
          name="title"
          id="view-title"
          label={t('saved.name')}
          note={t('saved.note')}
          required
          maxLength={maxViewTitle}
        />
        <button class="btn btn-sm btn-primary" type="submit">
          {t('saved.save')}
        </button>
      </form>
    </section>
    {views.map((view, index) => (
      <SavedView key={view.id} {...{ path, view }} isFirst={index === 0} isLast={index === views.length - 1} />
    ))}
  </div>
);

interface ViewProps extends Pick<PageProps, 'path'> {
  readonly view: ProjectView;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function SavedView({ path, view, isFirst, isLast }: ViewProps): VNode {
  const action = `${path}/views/${view.id}`;
  const { title } = view;
  return (
    <section class="Box p-3 mb-3" aria-label={title}>
      <form method="post" action={action}>
        <Csrf />
        <input type="hidden" name="action" value="save" />
        <TextField
          name="title"
          id={`view-${view.id}-title`}
          label={t('saved.name')}
          required
          maxLength={maxViewTitle}
          value={title}
        />
        <SelectField
          name="layout"
          id={`view-${view.id}-layout`}
          label={t('saved.layout')}
          value={view.layout}
          options={viewLayouts.map((layout): FieldOption => [layout, t(`view.${layout}`)])}
        />
        <button class="btn btn-sm btn-primary mb-2" type="submit">
          {t('form.save')}
        </button>
      </form>
      <div class="d-flex flex-wrap flex-items-center gap-2">
        <a class="btn btn-sm" href={savedHref(path, view)} aria-label={t('saved.openOf', { title })}>
          {t('saved.open')}
        </a>
        {isFirst ? null : (
          <PostButton action={action} fields={{ action: 'up' }} label={t('saved.upOf', { title })}>
            {t('saved.up')}
          </PostButton>
        )}
        {isLast ? null : (
          <PostButton action={action} fields={{ action: 'down' }} label={t('saved.downOf', { title })}>
            {t('saved.down')}
          </PostButton>
        )}
        <PostButton
          action={action}
          fields={{ action: view.isDefault ? 'noDefault' : 'default' }}
          label={t(view.isDefault ? 'saved.noDefaultOf' : 'saved.makeDefaultOf', { title })}
        >
          {t(view.isDefault ? 'saved.noDefault' : 'saved.makeDefault')}
        </PostButton>
        {view.isDefault ? <span class="Label">{t('saved.default')}</span> : null}
        <PostButton
          action={action}
          fields={{ action: 'delete' }}
          danger
          label={t('saved.deleteOf', { title })}
          confirm={t('saved.deleteConfirm', { title })}
        >
          {t('form.delete')}
        </PostButton>
      </div>
    </section>
  );
}
