import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  Csrf,
  formatDate,
  formatNumber,
  formText,
  icon,
  listHref,
  Pager,
  PostButton,
  SearchBox,
  TextField,
  type FormValues,
} from '@mortise/plugin-sdk';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import { type Repository } from '@mortise/repositories/api';
import { type Milestone } from '../api.js';
import { isOverdue } from '../services/due-date.js';
import { EditorTexts, TextEditor } from './editor.js';
import { IssueRows, type Rows } from './rows.js';
import { type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const shareOf = ({ openCount, closedCount }: Milestone): number =>
  openCount + closedCount ? Math.floor((100 * closedCount) / (openCount + closedCount)) : 0;

const Progress = ({ milestone }: { milestone: Milestone }): VNode => (
  <>
    <div class="Progress issue-progress mb-1" aria-hidden="true">
      <span class="Progress-item" style={`width:${shareOf(milestone)}%`} />
    </div>
    <p class="f6 color-fg-muted mb-0">
      {t('milestone.progress', {
        percent: shareOf(milestone),
        open: formatNumber(milestone.openCount),
        closed: formatNumber(milestone.closedCount),
      })}
    </p>
  </>
);

const Times = ({ milestone }: { milestone: Milestone }): VNode => {
  const isLate = isOverdue(milestone);
  return (
    <span class="f6 color-fg-muted d-flex flex-wrap issue-facts">
      {milestone.isClosed ? (
        <span>{t.rich('milestone.closedAt', { when: <Ago time={milestone.closedAt} /> })}</span>
      ) : null}
      {milestone.dueAt ? (
        <span class={isLate ? 'color-fg-danger' : undefined}>
          {icon('calendar')}{' '}
          {isLate
            ? t('milestone.late', { date: formatDate(milestone.dueAt) })
            : t('milestone.due', { date: formatDate(milestone.dueAt) })}
        </span>
      ) : (
        <span>{t('milestone.noDue')}</span>
      )}
      <span>{t.rich('milestone.updated', { when: <Ago time={milestone.updatedAt} /> })}</span>
    </span>
  );
};

interface MilestoneActionsProps {
  readonly repositoryPath: string;
  readonly milestone: Milestone;
}
const MilestoneActions = ({ repositoryPath, milestone }: MilestoneActionsProps): VNode => (
  <div class="d-flex flex-wrap gap-2">
    <a
      class="btn btn-sm"
      href={`${repositoryPath}/milestones/${milestone.id}/edit`}
      aria-label={t('milestone.editOf', { title: milestone.title })}
    >
      {t('comment.edit')}
    </a>
    <PostButton
      action={`${repositoryPath}/milestones/${milestone.id}/state`}
      fields={{ closed: milestone.isClosed ? 0 : 1 }}
      label={
        milestone.isClosed
          ? t('milestone.reopenOf', { title: milestone.title })
          : t('milestone.closeOf', { title: milestone.title })
      }
    >
      {milestone.isClosed ? t('form.reopen') : t('form.close')}
    </PostButton>
    <PostButton
      action={`${repositoryPath}/milestones/${milestone.id}/delete`}
      danger
      label={t('milestone.deleteOf', { title: milestone.title })}
      confirm={t('milestone.deleteConfirm', { title: milestone.title })}
    >
      {t('comment.delete')}
    </PostButton>
  </div>
);

interface ListProps {
  readonly repositoryPath: string;
  readonly list: string;
  readonly mayWrite: boolean;
  readonly items: readonly Milestone[];
  readonly open: number;
  readonly closed: number;
  readonly state: 'open' | 'closed';
  readonly words: string;
  readonly page: number;
  readonly last: number;
}

export function List({
  repositoryPath,
  list,
  mayWrite,
  items,
  open,
  closed,
  state,
  words,
  page,
  last,
}: ListProps): VNode {
  const path = `${repositoryPath}/milestones`;
  const tab = (of: 'open' | 'closed', count: number, name: string) => (
    <a
      class={`issue-state${state === of ? ' text-bold color-fg-default' : ' Link--muted'}`}
      href={listHref(path, { q: words, state: of === 'open' ? '' : of })}
      aria-current={state === of ? 'true' : undefined}
    >
      {icon(of === 'open' ? 'milestone' : 'check')} {t('list.state', { count: formatNumber(count), state: name })}
    </a>
  );
  return (
    <div>
      <div class="d-flex flex-wrap gap-2 mb-3">
        <h2 class="f3 flex-auto">{t('milestones.title')}</h2>
        <a class="btn" href={`${repositoryPath}/${list}`}>
          {list === 'issues' ? t('tab') : t('tab.pulls')}
        </a>
        <a class="btn" href={`${repositoryPath}/labels`}>
          {icon('tag')} {t('labels.title')}
        </a>
        {mayWrite ? (
          <a class="btn btn-primary" href={`${path}/new`}>
            {t('milestone.new')}
          </a>
        ) : null}
      </div>
      <SearchBox
        action={path}
        value={words}
        label={t('milestone.search')}
        keep={{ state: state === 'open' ? undefined : state }}
      />
      <div class="Box milestone-list">
        <div class="Box-header">
          <div class="d-flex gap-3">
            {tab('open', open, t('state.open'))}
            {tab('closed', closed, t('state.closed'))}
          </div>
        </div>
        {items.length ? null : <Blankslate plain level={3} icon="milestone" title={t('milestone.none')} />}
        <ul class="list-style-none">
          {items.map((milestone) => (
            <li class="Box-row d-md-flex gap-3">
              <div class="flex-auto min-width-0 mb-2">
                <a
                  class="f4 text-bold Link--primary wb-break-word"
                  href={`${repositoryPath}/milestone/${milestone.id}`}
                >
                  {milestone.title}
                </a>
                <Times milestone={milestone} />
              </div>
              <div class="flex-auto min-width-0">
                <Progress milestone={milestone} />
                {mayWrite ? (
                  <div class="mt-2">
                    <MilestoneActions repositoryPath={repositoryPath} milestone={milestone} />
                  </div>
                ) : null}
              </div>
            </li>
          ))}
        </ul>
      </div>
      <Pager
        page={page}
        last={last}
        href={(to) => listHref(path, { q: words, state: state === 'open' ? '' : state, page: to })}
      />
      <p class="f6 mt-2 d-flex flex-wrap gap-3">
        <a href={`${path}/export`} download="milestone.json">
          {icon('download')} {t('exchange.export')}
        </a>
        {mayWrite ? (
          <a href={`${path}/import`}>
            {icon('upload')} {t('exchange.import')}
          </a>
        ) : null}
      </p>
    </div>
  );
}

export interface FormProps {
  readonly repositoryPath: string;
  readonly repository: Repository;
  readonly milestone?: Milestone;
  readonly sent?: FormValues;
}

export function MilestoneForm({ repositoryPath, repository, milestone, sent }: FormProps): VNode {
  const value = (name: string, otherwise: string) => (sent ? formText(sent, name, 1_000_000) : otherwise);
  const due = milestone?.dueAt ? new Date(milestone.dueAt).toISOString().slice(0, 10) : '';
  return (
    <form
      method="post"
      action={milestone ? `${repositoryPath}/milestones/${milestone.id}/edit` : `${repositoryPath}/milestones/new`}
    >
      <h2 class="f3 mb-3">{milestone ? t('milestone.edit') : t('milestone.new')}</h2>
      <Csrf />
      <TextField
        name="title"
        label={t('title.label')}
        required
        maxLength={255}
        autofocus
        value={value('title', milestone?.title ?? '')}
      />
      <TextField name="due" label={t('due.title')} type="date" short value={value('due', due)} />
      <TextEditor
        id="milestone-description"
        name="description"
        label={t('new.text')}
        value={value('description', milestone?.description ?? '')}
        lines={8}
        repository={`${repository.ownerName}/${repository.name}`}
        hidden={false}
      />
      <div class="d-flex gap-2">
        <button class="btn btn-primary" type="submit">
          {milestone ? t('edit.save') : t('milestone.create')}
        </button>
        <a
          class="btn"
          href={milestone ? `${repositoryPath}/milestone/${milestone.id}` : `${repositoryPath}/milestones`}
        >
          {t('edit.cancel')}
        </a>
      </div>
      <EditorTexts />
    </form>
  );
}

interface ViewProps extends MilestoneActionsProps {
  readonly deps: PageDeps;
  readonly html: SafeHtml;
  readonly mayWrite: boolean;
  readonly rows: Rows;
  readonly state: 'open' | 'closed';
  readonly page: number;
  readonly last: number;
}

export function View({ deps, repositoryPath, milestone, html, mayWrite, rows, state, page, last }: ViewProps): VNode {
  const path = `${repositoryPath}/milestone/${milestone.id}`;
  const tab = (of: 'open' | 'closed', count: number, name: string) => (
    <a
      class={`issue-state${state === of ? ' text-bold color-fg-default' : ' Link--muted'}`}
      href={listHref(path, { state: of === 'open' ? '' : of })}
      aria-current={state === of ? 'true' : undefined}
    >
      {t('list.state', { count: formatNumber(count), state: name })}
    </a>
  );
  return (
    <div>
      <p class="mb-2">
        <a href={`${repositoryPath}/milestones`}>{t('milestones.title')}</a>
      </p>
      <div class="d-flex flex-wrap gap-2 mb-2">
        <h2 class="f2 text-normal flex-auto min-width-0 wb-break-word">{milestone.title}</h2>
        {mayWrite ? <MilestoneActions repositoryPath={repositoryPath} milestone={milestone} /> : null}
      </div>
      <Times milestone={milestone} />
      <div class="my-2 milestone-list">
        <Progress milestone={milestone} />
      </div>
      {milestone.description.trim() ? <MarkupBody class="my-3" html={html} /> : null}
      <div class="Box">
        <div class="Box-header">
          <h3 class="sr-only">{t('tab')}</h3>
          <div class="d-flex gap-3">
            {tab('open', milestone.openCount, t('state.open'))}
            {tab('closed', milestone.closedCount, t('state.closed'))}
          </div>
        </div>
        {rows.issues.length ? (
          <IssueRows rows={rows} deps={deps} />
        ) : (
          <Blankslate plain level={3} icon="issue-opened" title={t('list.none')} />
        )}
      </div>
      <Pager
        page={page}
        last={last}
        href={(to) => listHref(path, { state: state === 'open' ? '' : state, page: to })}
      />
    </div>
  );
}
