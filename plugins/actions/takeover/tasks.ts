import { targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { pbkdf2Hash } from '@mortise/accounts/api';
import { isFinal, type StatusNumber } from '../contract/states.js';
import { OutputRow } from '../models/output.js';
import { StepRow } from '../models/step.js';
import { TaskRow } from '../models/task.js';
import type { LogTakeover } from './logs.js';
import { attemptOf, jobs, statusOf } from './runs.js';

const tasks = 'actions.tasks';
/** Rounds of PBKDF2 with which the other server hashes tokens. */
const tokenIterations = 10_000;
/** As long as it fits with the hash into the column. */
const maxSalt = 20;

/** Tokens end with the task: only those of tasks that run are taken over. */
function tokenColumns(row: SourceRow, status: StatusNumber) {
  const [hash, salt] = [row.text('token_hash'), row.text('token_salt')];
  const isValid = !isFinal(status) && /^(?:[0-9a-f]{2}){32,50}$/.test(hash) && salt.length <= maxSalt;
  return {
    token_hash: isValid ? pbkdf2Hash(tokenIterations, salt, hash) : '',
    token_salt: '',
    token_last_eight: isValid ? row.text('token_last_eight', 8) : '',
  };
}

export const taskTable = (logs: LogTakeover): TableMapping => ({
  id: tasks,
  table: 'action_task',
  idTable: TaskRow,
  references: { job_id: jobs },
  related: { job: { table: 'action_run_job', column: 'id', localColumn: 'job_id' } },
  ignored: ['log_size', 'log_indexes'],
  version: 2,
  map(row) {
    const [job] = row.related('job');
    const runId = job?.number('run_id') ?? 0;
    return targetRow(TaskRow, {
      id: row.number('id'),
      job_id: row.number('job_id'),
      repository_id: row.number('repo_id'),
      owner_id: row.number('owner_id'),
      run_id: runId,
      run_attempt_id: job ? attemptOf(job, 'run_attempt_id', runId) : 0,
      attempt: Math.max(1, row.number('attempt')),
      runner_id: row.number('runner_id'),
      status: statusOf(row),
      commit_sha: row.text('commit_sha'),
      is_fork: row.flag('is_fork_pull_request'),
      ...tokenColumns(row, statusOf(row)),
      started_at: row.time('started'),
      stopped_at: row.time('stopped'),
      created_at: row.time('created'),
      updated_at: row.time('updated'),
    });
  },
  copyFiles: (row, context) => logs.take(row, context),
  compare: (row, context) => logs.differences(row, context),
});

export const steps: TableMapping = {
  id: 'actions.steps',
  table: 'action_task_step',
  idTable: StepRow,
  references: { task_id: tasks },
  ignored: ['repo_id', 'created', 'updated'],
  map: (row) =>
    targetRow(StepRow, {
      id: row.number('id'),
      task_id: row.number('task_id'),
      number: row.number('index'),
      name: row.text('name', 255),
      status: statusOf(row),
      log_index: row.number('log_index'),
      log_length: row.number('log_length'),
      started_at: row.time('started'),
      stopped_at: row.time('stopped'),
    }),
};

export const outputs: TableMapping = {
  id: 'actions.outputs',
  table: 'action_task_output',
  idTable: OutputRow,
  references: { task_id: tasks },
  map: (row) =>
    targetRow(OutputRow, {
      id: row.number('id'),
      task_id: row.number('task_id'),
      output_key: row.text('output_key'),
      output_value: row.text('output_value'),
    }),
};
