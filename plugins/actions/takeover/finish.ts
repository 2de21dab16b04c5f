import type { Database } from '@mortise/plugin-sdk';
import type { TaskLogs } from '../contract/logs.js';
import { JobPayloadRow } from '../models/job-payload.js';
import { RunRow } from '../models/run.js';
import { parseWorkflow } from '../workflow/index.js';

const pageSize = 200;

interface FinishDeps {
  readonly database: Database;
  readonly logs: Pick<TaskLogs, 'forget'>;
}

/** After a pass: names of workflows, and the end of logs whose tasks are gone. */
export async function finishActions({ database, logs }: FinishDeps): Promise<void> {
  while (await nameRuns(database));
  while (await forgetLogs(database, logs));
}

/** The other server reads the name from the file each time; any job of the run has it. False: all runs have theirs. */
async function nameRuns(database: Database): Promise<boolean> {
  const runs = await database
    .query(RunRow)
    .select('id', 'workflow_id')
    .where('workflow_name', '')
    .orderBy('id')
    .limit(pageSize);
  const firstJobs = await database
    .knex()('action_job')
    .whereIn(
      'run_id',
      runs.map(({ id }) => id),
    )
    .groupBy('run_id')
    .select<{ run_id: number; job_id: number }[]>('run_id')
    .min('id as job_id');
  const payloads = await database.query(JobPayloadRow).findByIds(firstJobs.map(({ job_id }) => job_id));
  const names = new Map(payloads.map(({ job_id, payload }) => [job_id, parseWorkflow(payload, 'workflow').name]));
  const jobOf = new Map(firstJobs.map(({ run_id, job_id }) => [run_id, job_id]));
  await database.write(async () => {
    for (const { id, workflow_id } of runs) {
      const name = names.get(jobOf.get(id) ?? 0)?.slice(0, 255);
      await database
        .query(RunRow)
        .findById(id)
        .patch({ workflow_name: name || workflow_id || 'workflow' });
    }
  });
  return runs.length === pageSize;
}

async function forgetLogs(database: Database, logs: FinishDeps['logs']): Promise<boolean> {
  const ids = await database
    .knex()('action_log')
    .leftJoin('action_task', 'action_task.id', 'action_log.task_id')
    .whereNull('action_task.id')
    .whereNot('action_log.stage', 'gone')
    .limit(pageSize)
    .pluck<number[]>('action_log.task_id');
  if (ids.length > 0) await logs.forget(ids);
  return ids.length === pageSize;
}
