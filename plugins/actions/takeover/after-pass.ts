import { cutToLength, type Database } from '@mortise/plugin-sdk';
import type { TaskLogs } from '../contract/logs.js';
import { JobPayloadRow } from '../models/job-payload.js';
import { RunRow } from '../models/run.js';
import { ScheduleRow } from '../models/schedule.js';
import type { WorkflowFiles } from '../services/runs/workflow-files.js';
import type { ActionsSettings } from '../settings.js';
import { parseWorkflow } from '../workflow/index.js';

const pageSize = 200;

interface AfterPassDeps {
  readonly database: Database;
  readonly files: Pick<WorkflowFiles, 'find'>;
  readonly logs: Pick<TaskLogs, 'forget'>;
  readonly settings: Pick<ActionsSettings, 'WORKFLOW_DIRS' | 'SCOPED_WORKFLOW_DIRS'>;
}

/** Where the file is not there any more: the first folder in which the other server looks. */
const usualFolder = '.gitea/workflows';
const maxPath = 500;

/** After a pass: names and paths of workflows, and the end of logs whose tasks are gone. */
export async function afterPass(deps: AfterPassDeps): Promise<void> {
  while (await locateRuns(deps));
  while (await locateSchedules(deps));
  while (await nameRuns(deps.database));
  while (await forgetLogs(deps.database, deps.logs));
}

/** A row that names a workflow, and where its file lay. */
interface WorkflowPlace {
  readonly rowId: number;
  readonly workflowId: string;
  readonly repositoryId: number;
  readonly commit: string;
  readonly isScoped: boolean;
}

/** Which of the folders has the workflow: the other server knows it by the name of its file alone. */
async function pathOf({ files, settings }: AfterPassDeps, place: WorkflowPlace): Promise<string> {
  const { workflowId, repositoryId, commit, isScoped } = place;
  const folders = isScoped ? settings.SCOPED_WORKFLOW_DIRS : settings.WORKFLOW_DIRS;
  // a repository or a commit that is gone or damaged has none
  const file = await files.find(repositoryId, commit, folders, workflowId).catch(() => undefined);
  return cutToLength(file?.path ?? `${usualFolder}/${workflowId}`, maxPath);
}

/** False: all rows have a path. */
async function writePaths(
  deps: AfterPassDeps,
  model: typeof RunRow | typeof ScheduleRow,
  places: readonly WorkflowPlace[],
): Promise<boolean> {
  const paths = new Map<number, string>();
  for (const place of places) paths.set(place.rowId, await pathOf(deps, place));
  await deps.database.write(async () => {
    for (const [id, workflow_path] of paths)
      await deps.database.knex()(model.tableName).where({ id }).update({ workflow_path });
  });
  return places.length === pageSize;
}

async function locateRuns(deps: AfterPassDeps): Promise<boolean> {
  const runs = await deps.database
    .query(RunRow)
    .select('id', 'workflow_id', 'workflow_repo_id', 'workflow_commit_sha', 'is_scoped_run')
    .where('workflow_path', '')
    .orderBy('id')
    .limit(pageSize);
  const places = runs.map((run) => ({
    rowId: run.id,
    workflowId: run.workflow_id,
    repositoryId: run.workflow_repo_id,
    commit: run.workflow_commit_sha,
    isScoped: run.is_scoped_run,
  }));
  return writePaths(deps, RunRow, places);
}

async function locateSchedules(deps: AfterPassDeps): Promise<boolean> {
  const schedules = await deps.database
    .query(ScheduleRow)
    .select('id', 'workflow_id', 'repository_id', 'commit_sha')
    .where('workflow_path', '')
    .orderBy('id')
    .limit(pageSize);
  const places = schedules.map((schedule) => ({
    rowId: schedule.id,
    workflowId: schedule.workflow_id,
    repositoryId: schedule.repository_id,
    commit: schedule.commit_sha,
    isScoped: false,
  }));
  return writePaths(deps, ScheduleRow, places);
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
      const name = cutToLength(names.get(jobOf.get(id) ?? 0) ?? '', 255);
      await database
        .query(RunRow)
        .findById(id)
        .patch({ workflow_name: name || workflow_id || 'workflow' });
    }
  });
  return runs.length === pageSize;
}

async function forgetLogs(database: Database, logs: AfterPassDeps['logs']): Promise<boolean> {
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
