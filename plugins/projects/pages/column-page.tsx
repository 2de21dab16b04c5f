import type { VNode } from 'preact';
import {
  Blankslate,
  Csrf,
  formatNumber,
  lastPage,
  Pager,
  PostButton,
  TextField,
  NumberField,
} from '@mortise/plugin-sdk';
import type { ProjectCard, ProjectColumn } from '../contract/projects.js';
import { maxColumnTitle } from '../services/columns.js';
import { Card, IssueTitle, numberOf, StateIcon, type CardView } from './card.js';
import { t } from '../texts/index.js';

export const cardsPerPage = 100;

interface ListProps {
  readonly view: CardView;
  readonly cards: readonly ProjectCard[];
  readonly total: number;
  readonly page: number;
}

const BackLink = ({ view: { path, project } }: { view: CardView }): VNode => (
  <p class="mb-2">
    <a href={path} dir="auto">
      {project.title}
    </a>
  </p>
);

export const ColumnPage = ({ view, column, cards, total, page }: ListProps & { column: ProjectColumn }): VNode => (
  <div>
    <BackLink view={view} />
    <h2 class="f3 mb-3 wb-break-word">
      <span dir="auto">{column.title}</span> <span class="Counter">{formatNumber(total)}</span>
    </h2>
    {cards.length ? (
      <ul class="project-cards project-cards-wide list-style-none">
        {cards.map((card) => (
          <Card key={card.id} card={card} view={view} />
        ))}
      </ul>
    ) : (
      <Blankslate level={3} icon="project" title={t('column.empty')} />
    )}
    <Pager page={page} last={lastPage(total, cardsPerPage)} href={(to) => `?page=${to}`} />
  </div>
);

export const ArchivePage = ({ view, cards, total, page }: ListProps): VNode => (
  <div>
    <BackLink view={view} />
    <h2 class="f3 mb-3">
      {t('board.archive')} <span class="Counter">{formatNumber(total)}</span>
    </h2>
    {cards.length ? (
      <ul class="list-style-none Box">
        {cards.map((card) => {
          const issue = view.details.issues.get(card.issueId);
          return issue ? (
            <li class="Box-row d-flex flex-wrap gap-2" key={card.id}>
              <StateIcon issue={issue} details={view.details} />
              <div class="flex-auto min-width-0">
                <IssueTitle issue={issue} view={view} /> <span class="color-fg-muted">{numberOf(issue, view)}</span>
              </div>
              {view.mayMove ? (
                <PostButton
                  action={`${view.path}/cards/${issue.id}`}
                  fields={{ action: 'restore' }}
                  label={t('card.restoreOf', { title: issue.title })}
                >
                  {t('card.restore')}
                </PostButton>
              ) : null}
            </li>
          ) : null;
        })}
      </ul>
    ) : (
      <Blankslate level={3} icon="archive" title={t('board.archiveEmpty')} />
    )}
    <Pager page={page} last={lastPage(total, cardsPerPage)} href={(to) => `?page=${to}`} />
  </div>
);

interface ColumnsProps {
  readonly path: string;
  readonly title: string;
  readonly columns: readonly ProjectColumn[];
}

/** The forms by which columns are made, changed, moved, made the default and deleted. */
export const ColumnsPage = ({ path, title, columns }: ColumnsProps): VNode => (
  <div>
    <p class="mb-2">
      <a href={path} dir="auto">
        {title}
      </a>
    </p>
    <h2 class="f3 mb-3">{t('board.columns')}</h2>
    {columns.map((column, index) => (
      <section class="Box p-3 mb-3" id={`edit-${column.id}`} key={column.id} aria-label={column.title}>
        <ColumnForm action={`${path}/columns/${column.id}`} column={column} />
        <div class="d-flex flex-wrap gap-2 mt-2">
          <ColumnButtons action={`${path}/columns/${column.id}`} column={column} index={index} of={columns} />
        </div>
      </section>
    ))}
    <section class="Box p-3 mb-3" aria-label={t('column.new')}>
      <h3 class="f5 mb-2">{t('column.new')}</h3>
      <ColumnForm action={`${path}/columns`} />
    </section>
  </div>
);

const ColumnForm = ({ action, column }: { action: string; column?: ProjectColumn }): VNode => {
  const id = (name: string) => `column-${column?.id ?? 'new'}-${name}`;
  return (
    <form method="post" action={action}>
      <Csrf />
      <input type="hidden" name="action" value="save" />
      <div class="d-flex flex-wrap gap-3">
        <TextField
          name="title"
          id={id('title')}
          input="title"
          label={t('form.title')}
          required
          maxLength={maxColumnTitle}
          value={column?.title ?? ''}
          short
        />
        <TextField
          name="color"
          id={id('color')}
          input="color"
          label={t('column.color')}
          maxLength={7}
          value={column?.color ?? ''}
          short
        />
        <NumberField
          name="limit"
          id={id('limit')}
          label={t('column.limit')}
          min={0}
          max={10_000}
          value={column?.cardLimit ?? 0}
        />
      </div>
      <button class="btn btn-sm btn-primary" type="submit">
        {column ? t('form.save') : t('column.create')}
      </button>
    </form>
  );
};

interface ButtonsProps {
  readonly action: string;
  readonly column: ProjectColumn;
  readonly index: number;
  readonly of: readonly ProjectColumn[];
}

const ColumnButtons = ({ action, column, index, of }: ButtonsProps): VNode => {
  const { title } = column;
  return (
    <>
      {index > 0 ? (
        <PostButton action={action} fields={{ action: 'left' }} label={t('column.leftOf', { title })}>
          {t('column.left')}
        </PostButton>
      ) : null}
      {index < of.length - 1 ? (
        <PostButton action={action} fields={{ action: 'right' }} label={t('column.rightOf', { title })}>
          {t('column.right')}
        </PostButton>
      ) : null}
      {column.isDefault ? (
        <span class="Label">{t('column.default')}</span>
      ) : (
        <>
          <PostButton action={action} fields={{ action: 'default' }} label={t('column.makeDefaultOf', { title })}>
            {t('column.makeDefault')}
          </PostButton>
          <PostButton
            action={action}
            fields={{ action: 'delete' }}
            danger
            label={t('column.deleteOf', { title })}
            confirm={t('column.deleteConfirm', { title })}
          >
            {t('form.delete')}
          </PostButton>
        </>
      )}
    </>
  );
};
