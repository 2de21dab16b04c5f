import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  CheckField,
  CopyBlock,
  Csrf,
  listHref,
  Pager,
  PostButton,
  SearchBox,
  Section,
  TextField,
} from '@mortise/plugin-sdk';
import { statusName } from '../../contract/states.js';
import type { Runner, RunnerFilter } from '../../contract/runners.js';
import { t } from '../../texts/index.js';
import { StatusIcon } from '../status.js';
import { BulkButtons } from './bulk-buttons.js';
import type { RunnerTask } from './runner-tasks.js';

const bulkActs = ['enable', 'disable', 'delete'] as const;
export const sorts = ['newest', 'oldest', 'alphabetically', 'reversealphabetically'] as const;
const maxUsable = 50;

const tones = { idle: 'Label--success', active: 'Label--accent', offline: 'Label--secondary' } as const;

const ownerKind = ({ scope }: Runner): 'repository' | 'owner' | 'site' =>
  scope.repositoryId ? 'repository' : scope.ownerId ? 'owner' : 'site';

const RunnerState = ({ runner }: { readonly runner: Runner }): VNode => (
  <>
    <span class={`Label ${tones[runner.status]}`}>{t(`runners.status.${runner.status}`)}</span>
    {runner.isDisabled ? <span class="Label Label--attention ml-1">{t('runners.disabled')}</span> : null}
    {runner.isEphemeral ? <span class="Label ml-1">{t('runners.ephemeral')}</span> : null}
  </>
);

interface ListProps {
  readonly base: string;
  readonly items: readonly Runner[];
  readonly page: number;
  readonly last: number;
  readonly filter: RunnerFilter;
  /** Where it was asked for. */
  readonly token?: string;
  readonly rootUrl: string;
  /** Those of others that take jobs from here. */
  readonly usable: readonly Runner[];
  /** The site's: may do something with several at once. */
  readonly hasBulk: boolean;
}

const sortLabels = {
  newest: 'runners.sort.newest',
  oldest: 'runners.sort.oldest',
  alphabetically: 'runners.sort.name',
  reversealphabetically: 'runners.sort.nameDown',
} as const;

interface RowProps {
  readonly runner: Runner;
  /** Address of the list, where it has a page here. */
  readonly base?: string;
  readonly hasBulk?: boolean;
}

const RunnerRow = ({ runner, base, hasBulk }: RowProps): VNode => (
  <li class="Box-row d-flex flex-items-center flex-wrap gap-2">
    {hasBulk ? (
      <input type="checkbox" name="id" value={runner.id} aria-label={t('runners.choose', { name: runner.name })} />
    ) : null}
    <div class="list-main min-width-0">
      {base ? (
        <a class="text-bold wb-break-word" href={`${base}/${runner.id}`}>
          {runner.name}
        </a>
      ) : (
        <strong class="wb-break-word">{runner.name}</strong>
      )}{' '}
      <RunnerState runner={runner} />
      <div class="color-fg-muted f6 wb-break-word">
        {t(`runners.owner.${ownerKind(runner)}`)}
        {runner.version ? ` · ${runner.version}` : ''} ·{' '}
        {runner.lastOnlineAt
          ? t.rich('runners.seen', { when: <Ago time={runner.lastOnlineAt} /> })
          : t('runners.neverSeen')}
      </div>
    </div>
    <div class="d-flex flex-wrap gap-1">
      {runner.labels.slice(0, 20).map((label) => (
        <span key={label} class="Label">
          {label}
        </span>
      ))}
    </div>
  </li>
);

function Registration({ base, token, rootUrl }: ListProps): VNode {
  return (
    <Section title={t('runners.register')}>
      <p>{t('runners.registerNote')}</p>
      {token ? (
        <>
          <CopyBlock
            text={`act_runner register --no-interactive --instance ${rootUrl} --token ${token}`}
            label={t('runners.copyCommand')}
          />
          <p>{t('runners.token')}</p>
          <CopyBlock text={token} label={t('runners.copyToken')} />
        </>
      ) : null}
      <div class="d-flex flex-wrap gap-2 flex-items-start">
        {token ? null : (
          <PostButton action={`${base}/token`} class="btn">
            {t('runners.showToken')}
          </PostButton>
        )}
        <PostButton action={`${base}/reset-token`} class="btn btn-danger" confirm={t('runners.resetConfirm')}>
          {t('runners.reset')}
        </PostButton>
      </div>
    </Section>
  );
}

export function RunnerList(props: ListProps): VNode {
  const { base, items, page, last, filter, usable, hasBulk } = props;
  const rows = (
    <ul class="Box list-style-none mb-3">
      {items.map((runner) => (
        <RunnerRow key={runner.id} runner={runner} base={base} hasBulk={hasBulk} />
      ))}
    </ul>
  );
  return (
    <>
      <Section title={t('settings.runners')}>
        <SearchBox value={filter.text ?? ''} label={t('runners.search')}>
          <select class="form-select" name="sort" aria-label={t('runners.sort')}>
            {sorts.map((one) => (
              <option key={one} value={one} selected={one === filter.sort}>
                {t(sortLabels[one])}
              </option>
            ))}
          </select>
        </SearchBox>
        {items.length === 0 ? (
          <Blankslate level={3} icon="server" title={t('runners.none')}>
            <p>{t('runners.noneNote')}</p>
          </Blankslate>
        ) : hasBulk ? (
          <form method="post" action={`${base}/bulk`}>
            <Csrf />
            {rows}
            <BulkButtons acts={bulkActs} label={(what) => t(`runners.bulk.${what}`)} />
          </form>
        ) : (
          rows
        )}
        <Pager
          page={page}
          last={last}
          href={(number) => listHref(base, { q: filter.text, sort: filter.sort, page: number })}
        />
      </Section>
      {usable.length > 0 ? (
        <Section title={t('runners.usable')}>
          <ul class="Box list-style-none mb-3">
            {usable.slice(0, maxUsable).map((runner) => (
              <RunnerRow key={runner.id} runner={runner} />
            ))}
          </ul>
        </Section>
      ) : null}
      <Registration {...props} />
    </>
  );
}

interface OneProps {
  readonly base: string;
  readonly runner: Runner;
  readonly tasks: readonly RunnerTask[];
  readonly page: number;
  readonly more: boolean;
}

export function OneRunner({ base, runner, tasks, page, more }: OneProps): VNode {
  const own = `${base}/${runner.id}`;
  return (
    <>
      <Section title={runner.name} actions={<RunnerState runner={runner} />}>
        <p class="color-fg-muted">
          {t(`runners.owner.${ownerKind(runner)}`)}
          {runner.version ? ` · ${runner.version}` : ''} · {runner.labels.join(', ') || t('runners.noLabels')}
        </p>
        <form method="post" action={own}>
          <Csrf />
          <TextField name="description" label={t('field.description')} value={runner.description} maxLength={255} />
          <CheckField name="disabled" value="on" label={t('runners.disable')} checked={runner.isDisabled} />
          <button class="btn btn-primary mt-2" type="submit">
            {t('action.save')}
          </button>
        </form>
        <PostButton
          action={`${own}/delete`}
          danger
          formClass="confirm-start mt-3"
          confirm={t('runners.deleteConfirm', { name: runner.name })}
        >
          {t('runners.delete')}
        </PostButton>
      </Section>
      <Section title={t('runners.tasks')}>
        {tasks.length === 0 ? <p class="color-fg-muted">{t('runners.noTasks')}</p> : null}
        <ul class="list-style-none">
          {tasks.map((task) => (
            <li key={task.id} class="d-flex flex-items-center flex-wrap gap-2 py-2 border-bottom">
              <StatusIcon status={task.status} />
              <a class="list-main wb-break-word" href={task.href}>
                {task.repository} · {task.title} · {task.job}
              </a>
              <span class="color-fg-muted f6">
                <span class="sr-only">{t(`status.${statusName(task.status)}`)}</span> <Ago time={task.startedAt} />
              </span>
            </li>
          ))}
        </ul>
        <Pager page={page} more={more} href={(number) => listHref(own, { page: number })} />
        <a href={base}>{t('runners.back')}</a>
      </Section>
    </>
  );
}
