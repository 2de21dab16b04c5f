import type { VNode } from 'preact';
import { Blankslate, Csrf, PostButton, SearchBox } from '@mortise/plugin-sdk';
import type { Issue } from '@mortise/issues/api';
import type { FieldValue, ProjectField } from '../contract/fields.js';
import type { ProjectCard, ProjectColumn } from '../contract/projects.js';
import { ColumnChoice } from './board.js';
import { IssueTitle, numberOf, StateIcon, type CardView } from './card.js';
import { ValuesForm } from './field-page.js';
import { t } from '../texts/index.js';

interface PageProps {
  readonly view: CardView;
  readonly columns: readonly ProjectColumn[];
}

const Buttons = ({ view: { path, query }, issue }: Pick<PageProps, 'view'> & { issue: Issue }): VNode => (
  <div class="d-flex flex-wrap gap-2 mt-3">
    {(['up', 'down', 'archive', 'remove'] as const).map((action) => (
      <PostButton
        key={action}
        action={`${path}/cards/${issue.id}`}
        fields={{ action, query }}
        danger={action === 'remove'}
      >
        {t(`card.${action}`)}
      </PostButton>
    ))}
  </div>
);

/** What can be done with one card; scripts show `data-card-forms` on the board itself. */
export const CardPage = ({
  view,
  columns,
  card,
  issue,
  fields,
  values,
}: PageProps & {
  card: ProjectCard;
  issue: Issue;
  fields: readonly ProjectField[];
  values: readonly FieldValue[];
}): VNode => (
  <div>
    <p class="mb-2">
      <a href={view.path} dir="auto">
        {view.project.title}
      </a>
    </p>
    <div data-card-forms>
      <h2 class="f4 mb-3 wb-break-word">
        <StateIcon issue={issue} details={view.details} /> <IssueTitle issue={issue} view={view} />{' '}
        <span class="color-fg-muted">{numberOf(issue, view)}</span>
      </h2>
      <form method="post" action={`${view.path}/cards/${issue.id}`} class="d-flex flex-wrap gap-2">
        <Csrf />
        <input type="hidden" name="query" value={view.query} />
        <input type="hidden" name="action" value="move" />
        <ColumnChoice columns={columns} chosen={card.columnId} />
        <select class="form-select select-sm" name="spot" aria-label={t('card.spot')}>
          {(['last', 'first'] as const).map((spot) => (
            <option key={spot} value={spot}>
              {t(`card.spot.${spot}`)}
            </option>
          ))}
        </select>
        <button class="btn btn-sm btn-primary" type="submit">
          {t('card.move')}
        </button>
      </form>
      {fields.length ? (
        <ValuesForm action={`${view.path}/cards/${issue.id}`} query={view.query} fields={fields} values={values} />
      ) : null}
      <Buttons view={view} issue={issue} />
    </div>
  </div>
);

/** Issues that can be put on the board. */
export const AddPage = ({
  view,
  columns,
  found,
  words,
}: PageProps & { found: readonly Issue[]; words: string }): VNode => (
  <div>
    <p class="mb-2">
      <a href={view.path} dir="auto">
        {view.project.title}
      </a>
    </p>
    <h2 class="f3 mb-3">{t('add.title')}</h2>
    <SearchBox action={`${view.path}/add`} value={words} label={t('add.searchLabel')} />
    {found.length ? (
      <form method="post" action={`${view.path}/cards`}>
        <Csrf />
        <ul class="list-style-none Box mb-3">
          {found.map((issue) => (
            <li class="Box-row d-flex gap-2" key={issue.id}>
              <input
                type="checkbox"
                name="ids"
                value={issue.id}
                aria-label={t('add.choose', { title: issue.title })}
                class="flex-self-start mt-1"
              />
              <StateIcon issue={issue} details={view.details} />
              <div class="flex-auto min-width-0">
                <IssueTitle issue={issue} view={view} /> <span class="color-fg-muted">{numberOf(issue, view)}</span>
              </div>
            </li>
          ))}
        </ul>
        <div class="d-flex flex-wrap gap-2">
          <ColumnChoice columns={columns} />
          <button class="btn btn-sm btn-primary" type="submit">
            {t('add.add')}
          </button>
        </div>
      </form>
    ) : (
      <Blankslate level={3} icon="issue-opened" title={t('add.none')} />
    )}
  </div>
);
