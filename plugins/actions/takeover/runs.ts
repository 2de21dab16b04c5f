import { cutToLength, isJsonObject, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { runsOnKey } from '../contract/labels.js';
import { isFinal, statusName, statusNumbers, type StatusNumber } from '../contract/states.js';
import { AttemptRow } from '../models/attempt.js';
import { JobPayloadRow } from '../models/job-payload.js';
import { JobRow } from '../models/job.js';
import { RunCounterRow } from '../models/run-counter.js';
import { RunPayloadRow } from '../models/run-payload.js';
import { RunRow } from '../models/run.js';
import { openJobColumns } from './open-jobs.js';

const runs = 'actions.runs';
export const jobs = 'actions.jobs';
const repositories = 'repositories.repositories';

export const statusOf = (row: SourceRow): StatusNumber => statusNumbers[statusName(row.number('status'))];

/** A whole run is blocked there by its concurrency group alone. */
const isHeld = (row: SourceRow): boolean =>
  row.number('status') === statusNumbers.blocked && row.text('concurrency_group') !== '';

/** Versions before attempts: a run is one attempt, with the id of the run. */
export const attemptOf = (row: SourceRow, column: string, runId: number): number =>
  row.has(column) ? row.number(column) : runId;

interface EventPayload {
  readonly number?: unknown;
  readonly pull_request?: { readonly base?: { readonly ref?: unknown }; readonly head?: { readonly sha?: unknown } };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of a run of a pull request; empty of others. */
function pullColumns(row: SourceRow, { number, pull_request }: EventPayload) {
  const [, inRef] = /^refs\/pull\/(\d+)\//.exec(row.text('ref')) ?? [];
  const index = Number(inRef ?? (pull_request ? number : 0));
  return {
    pull_index: Number.isSafeInteger(index) ? index : 0,
    pull_base: cutToLength(text(pull_request?.base?.ref), 255),
  };
}

/** Whose commit gets the statuses; empty: none does. */
function statusCommit(row: SourceRow, { pull_request }: EventPayload): string {
  if (row.text('trigger_event') === 'schedule') return '';
  if (/^pull_request/.test(row.text('event'))) return text(pull_request?.head?.sha) || row.text('commit_sha');
  return row.text('event') === 'push' ? row.text('commit_sha') : '';
}

function runColumns(row: SourceRow, payload: EventPayload) {
  const ref = row.text('ref');
  const isScheduled = row.text('trigger_event') === 'schedule';
  const workflow = row.text('workflow_id', 255);
  return {
    title: row.text('title', 255),
    workflow_id: workflow,
    // of the jobs, and of git: read when the pass ends
    workflow_name: '',
    workflow_repo_id: row.number('workflow_repo_id') || row.number('repo_id'),
    workflow_commit_sha: row.text('workflow_commit_sha') || row.text('commit_sha'),
    workflow_path: '',
    is_scoped_run: row.flag('is_scoped_run'),
    ref,
    head_branch: ref.startsWith('refs/heads/') ? cutToLength(ref.slice('refs/heads/'.length), 255) : '',
    commit_sha: row.text('commit_sha'),
    status_sha: statusCommit(row, payload),
    ...pullColumns(row, payload),
    event: isScheduled ? 'schedule' : row.text('event'),
    trigger_event: row.text('trigger_event') || row.text('event'),
  };
}

export const runTable: TableMapping = {
  id: runs,
  table: 'action_run',
  idTable: RunRow,
  derived: ['workflow_name', 'workflow_path'],
  references: { repository_id: repositories },
  ignored: ['previous_duration', 'concurrency_group', 'concurrency_cancel'],
  map(row) {
    const id = row.number('id');
    const payload = row.json('event_payload');
    const event = (isJsonObject(payload) ? payload : {}) as EventPayload;
    const times = {
      started_at: row.time('started'),
      stopped_at: row.time('stopped'),
      created_at: row.time('created'),
      updated_at: row.time('updated'),
    };
    return [
      targetRow(RunRow, {
        id,
        repository_id: row.number('repo_id'),
        owner_id: row.number('owner_id'),
        number: row.number('index'),
        ...runColumns(row, event),
        trigger_user_id: row.number('trigger_user_id'),
        event_key: null,
        is_fork: row.flag('is_fork_pull_request'),
        need_approval: row.flag('need_approval'),
        approved_by: row.number('approved_by'),
        schedule_id: row.number('schedule_id'),
        depth: 0,
        raw_concurrency: '',
        problem: '',
        status: statusOf(row),
        latest_attempt_id: attemptOf(row, 'latest_attempt_id', id),
        version: row.number('version'),
        ...times,
      }),
      targetRow(RunPayloadRow, { run_id: id, payload: JSON.stringify(event), inputs: null }),
      ...(row.has('latest_attempt_id')
        ? []
        : [
            targetRow(AttemptRow, {
              id,
              run_id: id,
              repository_id: row.number('repo_id'),
              number: 1,
              trigger_user_id: row.number('trigger_user_id'),
              concurrency_group: row.text('concurrency_group', 255),
              concurrency_cancel: row.flag('concurrency_cancel'),
              is_held: isHeld(row),
              status: statusOf(row),
              ...times,
            }),
          ]),
    ];
  },
};

/** Of versions that have attempts. */
export const attemptTable: TableMapping = {
  id: 'actions.attempts',
  table: 'action_run_attempt',
  idTable: AttemptRow,
  references: { run_id: runs },
  map: (row) =>
    targetRow(AttemptRow, {
      id: row.number('id'),
      run_id: row.number('run_id'),
      repository_id: row.number('repo_id'),
      number: row.number('attempt'),
      trigger_user_id: row.number('trigger_user_id'),
      concurrency_group: row.text('concurrency_group', 255),
      concurrency_cancel: row.flag('concurrency_cancel'),
      is_held: isHeld(row),
      status: statusOf(row),
      started_at: row.time('started'),
      stopped_at: row.time('stopped'),
      created_at: row.time('created'),
      updated_at: row.time('updated'),
    }),
};

export const jobTable: TableMapping = {
  id: jobs,
  table: 'action_run_job',
  idTable: JobRow,
  references: { run_id: runs },
  ignored: ['raw_concurrency', 'raw_strategy', 'is_matrix_evaluated', 'is_fork_pull_request', 'commit_sha'],
  map(row) {
    const id = row.number('id');
    const status = statusOf(row);
    const payload = row.bytes('workflow_payload')?.toString('utf8') ?? '';
    const runsOn = row.texts('runs_on');
    return [
      targetRow(JobRow, {
        id,
        run_id: row.number('run_id'),
        repository_id: row.number('repo_id'),
        owner_id: row.number('owner_id'),
        run_attempt_id: attemptOf(row, 'run_attempt_id', row.number('run_id')),
        attempt: Math.max(1, row.number('attempt')),
        attempt_job_id: row.number('attempt_job_id') || id,
        name: row.text('name', 255),
        context_name: '',
        job_id: row.text('job_id', 255),
        needs: row.texts('needs'),
        runs_on: runsOn,
        runs_on_key: runsOnKey(runsOn),
        strategy: null,
        task_id: row.number('task_id'),
        source_task_id: row.number('source_task_id'),
        status,
        ...openJobColumns(isFinal(status) ? '' : payload),
        is_concurrency_evaluated: row.flag('is_concurrency_evaluated'),
        concurrency_group: row.text('concurrency_group', 255),
        concurrency_cancel: row.flag('concurrency_cancel'),
        parent_job_id: row.number('parent_job_id'),
        is_reusable_caller: row.flag('is_reusable_caller'),
        is_expanded: row.flag('is_expanded'),
        is_deferred: false,
        call_uses: row.text('call_uses', 500),
        workflow_repo_id: row.number('workflow_repo_id') || row.number('repo_id'),
        workflow_commit_sha: row.text('workflow_commit_sha') || row.text('commit_sha'),
        problem: '',
        started_at: row.time('started'),
        stopped_at: row.time('stopped'),
        created_at: row.time('created'),
        updated_at: row.time('updated'),
      }),
      targetRow(JobPayloadRow, {
        job_id: id,
        payload,
        step_names: null,
        callee: row.text('reusable_workflow_content') || null,
        call_payload: row.json('call_payload') ?? null,
        call_secrets: row.json('call_secrets') ?? null,
      }),
    ];
  },
};

export const runCounters: TableMapping = {
  id: 'actions.run_counters',
  table: 'action_run_index',
  key: ['group_id'],
  references: { repository_id: repositories },
  map: (row) =>
    targetRow(RunCounterRow, { repository_id: row.number('group_id'), last_number: row.number('max_index') }),
};
