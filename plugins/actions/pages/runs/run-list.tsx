import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  CheckField,
  CopyBlock,
  Csrf,
  icon,
  FragmentCache,
  listHref,
  Menu,
  Pager,
  PostButton,
  SelectField,
  TextField,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { isFinal } from '../../contract/states.js';
import type { RunRow } from '../../models/run.js';
import type { InputDefinition } from '../../workflow/index.js';
import { t } from '../../texts/index.js';
import { RunSearchBar } from '../run-search.js';
import { duration, elapsed, StatusIcon } from '../status.js';
import type { RunListFilter } from './run-reader.js';
import { DurationChart, type TimedRun } from './duration-chart.js';
import { RefLabel } from './ref-label.js';
import { WorkflowProblems } from './workflow-problems.js';
import type { WorkflowListItem } from './workflow-list.js';

interface RunListProps {
  readonly base: string;
  readonly workflows: readonly WorkflowListItem[];
  readonly filter: RunListFilter;
  readonly rows: readonly RunRow[];
  readonly actors: ReadonlyMap<number, Account>;
  /** Of the workflow that is chosen, those that have ended. */
  readonly lastRuns: readonly TimedRun[];
  readonly page: number;
  readonly last: number;
  readonly mayWrite: boolean;
  readonly mayAdminister: boolean;
  /** The form that runs the workflow is to be filled in. */
  readonly isAsked: boolean;
  readonly branch: string;
  /** Full address of the badge of the workflow that is chosen. */
  readonly badge: string | undefined;
}

const query = ({ workflow, source, actor, status, branch }: RunListFilter, page?: number) => ({
  workflow,
  scoped_workflow_source_repo_id: source || undefined,
  actor,
  status: status || undefined,
  branch,
  page,
});

type RowsProps = Pick<RunListProps, 'base' | 'rows' | 'actors'>;

const RunLine = ({ run, base, actor }: { run: RunRow; base: string; actor: string }): VNode => (
  <li class="Box-row d-flex flex-items-start flex-wrap gap-2" id={`run-${run.id}`}>
    <StatusIcon status={run.status} />
    <div class="list-main min-width-0">
      <a class="text-bold Link--primary wb-break-word" href={`${base}/runs/${run.id}`}>
        {run.title || run.workflow_name}
      </a>
      <div class="color-fg-muted f6 wb-break-word">
        {t('list.run', {
          workflow: run.workflow_name || run.workflow_id,
          number: String(run.number),
          event: run.trigger_event,
          actor,
        })}
        {run.need_approval ? <span class="Label Label--attention ml-1">{t('list.needsApproval')}</span> : null}
      </div>
    </div>
    <div class="color-fg-muted f6">
      <RefLabel run={run} home={base.replace(/\/actions$/, '')} />
      <div>
        <Ago time={Number(run.created_at)} />
        {Number(run.started_at) ? ` · ${duration(elapsed(run))}` : ''}
      </div>
    </div>
  </li>
);

/** A row as it was drawn last, while it says the same. */
function CachedLine({ run, base, actor }: Parameters<typeof RunLine>[0]): VNode {
  const now = Date.now();
  // how long ago it was goes by minutes, how long it takes by seconds
  const time = Math.floor(now / 60_000);
  const took = Number(run.started_at) ? Math.floor(elapsed(run, now) / 1000) : -1;
  const statusText = [run.id, run.status, run.title, run.workflow_name, run.workflow_id, run.number, run.trigger_event];
  const about = [run.need_approval, run.pull_index, run.head_branch, run.ref, Number(run.created_at)];
  return (
    <FragmentCache name="actions.run" cacheKey={JSON.stringify([time, took, base, actor, statusText, about])}>
      {() => <RunLine {...{ run, base, actor }} />}
    </FragmentCache>
  );
}

/** Rows of the list alone. */
export const RunRows = ({ base, rows, actors }: RowsProps): VNode => (
  <ul class="Box list-style-none mb-3" id="run-rows">
    {rows.map((run) => (
      <CachedLine key={run.id} {...{ run, base }} actor={actors.get(run.trigger_user_id)?.name ?? 'gitea-actions'} />
    ))}
  </ul>
);

const inputField = (input: InputDefinition): VNode => {
  const value = input.default === undefined || input.default === null ? '' : String(input.default as string | number);
  const common = { name: `inputs.${input.name}`, label: input.description || input.name, id: `input-${input.name}` };
  if (input.type === 'boolean')
    return (
      <>
        <input type="hidden" name={`boolean.${input.name}`} value="1" />
        <CheckField {...common} checked={value === 'true'} />
      </>
    );
  if (input.type === 'choice')
    return <SelectField {...common} value={value} options={input.options.map((one) => [one, one] as const)} />;
  return (
    <TextField {...common} value={value} type={input.type === 'number' ? 'number' : 'text'} required={input.required} />
  );
};

/** Fields of the form that asks for a run. */
export const WorkflowInputs = ({ inputs }: { readonly inputs: readonly InputDefinition[] }): VNode => (
  <div id="workflow-inputs">{inputs.map(inputField)}</div>
);

/** Workflows that can be run by hand, where none is chosen yet. */
function RunMenu({ base, workflows, mayWrite }: RunListProps): VNode | null {
  const ready = workflows.filter((one) => one.inputs && !one.isOff && !one.isGone);
  if (!mayWrite || ready.length === 0) return null;
  return (
    <div class="d-flex flex-justify-end mb-3">
      <Menu button={t('workflow.run')} class="btn btn-primary">
        {ready.map((one) => (
          <a
            key={`${one.source} ${one.id}`}
            class="dropdown-item wb-break-word"
            href={listHref(base, { workflow: one.id, scoped_workflow_source_repo_id: one.source || undefined, run: 1 })}
          >
            {one.name}
          </a>
        ))}
      </Menu>
    </div>
  );
}

/** What can be done with the workflow that is chosen. */
function WorkflowBar(props: RunListProps & { readonly workflow: WorkflowListItem }): VNode {
  const { base, workflow, mayWrite, mayAdminister, branch, badge } = props;
  const fields = { workflow: workflow.id, scoped_workflow_source_repo_id: workflow.source };
  return (
    <div class="mb-3">
      <WorkflowProblems {...workflow} />
      {workflow.isOff ? <div class="flash flash-warn mb-2">{t('workflow.isOff')}</div> : null}
      <div class="d-flex flex-wrap gap-2 flex-items-start">
        {mayWrite && workflow.inputs && !workflow.isOff ? (
          <details class="flex-auto" open={props.isAsked}>
            <summary class="btn btn-primary">
              {icon('play')} {t('workflow.run')}
            </summary>
            <form method="post" action={`${base}/run`} class="Box p-3 mt-2" id="workflow-run">
              <Csrf />
              {Object.entries(fields).map(([name, value]) => (
                <input key={name} type="hidden" name={name} value={value} />
              ))}
              <TextField name="ref" label={t('workflow.ref')} value={branch} required />
              <WorkflowInputs inputs={workflow.inputs} />
              <button class="btn btn-primary" type="submit">
                {t('workflow.run')}
              </button>
            </form>
          </details>
        ) : null}
        {mayAdminister && !workflow.isRequired ? (
          <PostButton action={`${base}/${workflow.isOff ? 'enable' : 'disable'}`} class="btn" fields={fields}>
            {t(workflow.isOff ? 'workflow.enable' : 'workflow.disable')}
          </PostButton>
        ) : null}
      </div>
      {badge ? (
        <details class="mt-2">
          <summary class="color-fg-muted f6">{t('workflow.badge')}</summary>
          <div class="mt-2">
            <CopyBlock text={`![${workflow.name}](${badge})`} label={t('workflow.copyBadge')} />
          </div>
        </details>
      ) : null}
    </div>
  );
}

const isChosen = (one: WorkflowListItem, filter: RunListFilter): boolean =>
  one.id === filter.workflow && one.source === filter.source;

type NavProps = Pick<RunListProps, 'base' | 'workflows' | 'filter'>;

/** Workflows in their groups: the repository's own, those of each source, those that are gone. */
function WorkflowNav({ base, workflows, filter }: NavProps): VNode {
  const groups = new Map<string, WorkflowListItem[]>();
  for (const one of workflows) {
    const group = one.isGone ? t('list.other') : one.sourceName ? t('list.scopedOf', { source: one.sourceName }) : '';
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return (
    <>
      {[...groups].flatMap(([group, list]) => [
        group ? (
          <h2 key={group} class="menu-heading border-top f6 wb-break-word">
            {group}
          </h2>
        ) : null,
        ...list.map((one) => (
          <a
            key={`${one.source} ${one.id}`}
            class="menu-item wb-break-word"
            href={listHref(base, query({ ...filter, workflow: one.id, source: one.source }))}
            aria-current={isChosen(one, filter) ? 'page' : undefined}
          >
            {one.name}
            {one.error ? <span class="color-fg-danger"> {icon('alert', { label: t('workflow.invalid') })}</span> : null}
            {one.warnings.length > 0 ? (
              <span class="color-fg-attention"> {icon('alert', { label: t('workflow.hasWarnings') })}</span>
            ) : null}
            {one.isOff ? <span class="Label ml-1">{t('runners.disabled')}</span> : null}
          </a>
        )),
      ])}
    </>
  );
}

function CachedNav({ base, workflows, filter }: NavProps): VNode {
  const shown = workflows.map((one) => [
    one.id,
    one.source,
    one.sourceName,
    one.name,
    one.isGone,
    one.isOff,
    one.error,
    one.warnings.length,
  ]);
  return (
    <FragmentCache name="actions.workflows" cacheKey={JSON.stringify([base, filter, shown])}>
      {() => <WorkflowNav {...{ base, workflows, filter }} />}
    </FragmentCache>
  );
}

/** The list of runs with workflows at the side. */
export function RunList(props: RunListProps): VNode {
  const { base, workflows, filter, rows, page, last } = props;
  const chosen = workflows.find((one) => isChosen(one, filter));
  return (
    <div class="d-md-flex menu-layout">
      <nav class="menu mb-3 flex-shrink-0 flex-self-start" aria-label={t('list.workflows')}>
        <a class="menu-item" href={base} aria-current={filter.workflow ? undefined : 'page'}>
          {t('list.all')}
        </a>
        <CachedNav {...{ base, workflows, filter }} />
        <a class="menu-item border-top" href={`${base}/deployments`}>
          {icon('rocket')} {t('deployment.all')}
        </a>
      </nav>
      <div
        class="flex-auto min-width-0"
        id="actions-live"
        data-wait={rows.every(({ status }) => isFinal(status)) ? '12' : '3'}
      >
        <h2 class="sr-only">{t('list.runs')}</h2>
        {chosen && !chosen.isGone ? <WorkflowBar {...props} workflow={chosen} /> : null}
        {filter.workflow ? null : <RunMenu {...props} />}
        <DurationChart runs={props.lastRuns} />
        <RunSearchBar
          name="branch"
          value={filter.branch}
          label={t('list.branch')}
          keep={{
            workflow: filter.workflow,
            ...(filter.source && { scoped_workflow_source_repo_id: String(filter.source) }),
          }}
          search={filter}
        />
        {rows.length === 0 ? (
          <Blankslate level={3} icon="play" title={t('list.none')}>
            <p>{t('list.noneNote')}</p>
          </Blankslate>
        ) : (
          <RunRows {...props} />
        )}
        <Pager page={page} last={last} href={(number) => listHref(base, query(filter, number))} />
      </div>
    </div>
  );
}
