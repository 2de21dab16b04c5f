import { cutToLength, isJsonObject, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { DisabledWorkflowRow } from '../models/disabled-workflow.js';
import { ScheduleSpecRow } from '../models/schedule-spec.js';
import { ScheduleRow } from '../models/schedule.js';
import { ScopedSourceRow } from '../models/scoped-source.js';

const repositories = 'repositories.repositories';
const schedules = 'actions.schedules';

export const scheduleTable: TableMapping = {
  id: schedules,
  table: 'action_schedule',
  idTable: ScheduleRow,
  derived: ['workflow_path'],
  references: { repository_id: repositories },
  ignored: ['title', 'specs', 'owner_id', 'trigger_user_id', 'event', 'updated'],
  map: (row) =>
    targetRow(ScheduleRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      workflow_id: row.text('workflow_id', 255),
      // read from git when the pass ends
      workflow_path: '',
      ref: row.text('ref'),
      commit_sha: row.text('commit_sha'),
      content: row.bytes('content')?.toString('utf8') ?? '',
      payload: JSON.stringify(row.json('event_payload') ?? {}),
      created_at: row.time('created'),
    }),
};

export const scheduleSpecs: TableMapping = {
  id: 'actions.schedule_specs',
  table: 'action_schedule_spec',
  idTable: ScheduleSpecRow,
  references: { schedule_id: schedules },
  ignored: ['created', 'updated'],
  map: (row) =>
    targetRow(ScheduleSpecRow, {
      id: row.number('id'),
      schedule_id: row.number('schedule_id'),
      repository_id: row.number('repo_id'),
      spec: row.text('spec', 255),
      next_at: row.time('next'),
      previous_at: row.time('prev'),
    }),
};

/** The source has them in a list of the unit, without ids. */
class UnnumberedSwitchRow extends DisabledWorkflowRow {
  static override idColumn = ['repository_id', 'source_repo_id', 'workflow_id'];
}

/** `repo_unit.type` of Actions. */
const actionsUnit = 10;

function disabledIn(row: SourceRow): string[] {
  const config = row.json('config');
  const names = isJsonObject(config) && config.DisabledWorkflows;
  return Array.isArray(names) ? [...new Set(names.filter((name) => typeof name === 'string'))] : [];
}

export const disabledWorkflows: TableMapping = {
  id: 'actions.disabled_workflows',
  table: 'repo_unit',
  references: { repository_id: repositories },
  ignored: ['created_unix'],
  filter: (row) => row.number('type') === actionsUnit,
  map: (row) =>
    disabledIn(row).map((name) =>
      targetRow(UnnumberedSwitchRow, {
        repository_id: row.number('repo_id'),
        source_repo_id: 0,
        workflow_id: cutToLength(name, 255),
      }),
    ),
};

const scopedSources = (id: string, isOfSite: boolean): TableMapping => ({
  id,
  table: 'action_scoped_workflow_source',
  idTable: ScopedSourceRow,
  references: { source_repo_id: repositories, ...(!isOfSite && { owner_id: 'accounts.users' }) },
  ignored: ['updated_unix'],
  filter: (row) => (row.number('owner_id') === 0) === isOfSite,
  map: (row) =>
    targetRow(ScopedSourceRow, {
      id: row.number('id'),
      owner_id: row.number('owner_id'),
      source_repo_id: row.number('source_repo_id'),
      workflow_configs: row.json('workflow_configs') ?? {},
      created_at: row.time('created_unix'),
    }),
});

export const scopedSourceTables: readonly TableMapping[] = [
  scopedSources('actions.scoped_sources', false),
  scopedSources('actions.site_scoped_sources', true),
];
