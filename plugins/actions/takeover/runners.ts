import { skippedRow, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { pbkdf2Hash } from '@mortise/accounts/api';
import { RegistrationRow } from '../models/registration.js';
import { RunnerActivityRow } from '../models/runner-activity.js';
import { RunnerRow } from '../models/runner.js';
import { VersionRow } from '../models/version.js';
import type { RegistrationService } from '../services/runners/registration.js';
import { scopeColumns, scopeReferences } from './scope.js';

/** Rounds of PBKDF2 with which the other server hashes tokens. */
const iterations = 10_000;
const maxRegistrationToken = 255;

/** They go on with the uuid and token of their file `.runner`. */
export const runners: TableMapping = {
  id: 'actions.runners',
  table: 'action_runner',
  idTable: RunnerRow,
  references: scopeReferences,
  ignored: ['base', 'repo_range', 'custom_labels'],
  map(row) {
    const id = row.number('id');
    if (row.number('deleted') > 0) return skippedRow('it was deleted');
    const hash = row.text('token_hash');
    if (!/^(?:[0-9a-f]{2}){32,50}$/.test(hash)) return skippedRow('its hash is of an unknown kind');
    return [
      targetRow(RunnerRow, {
        id,
        uuid: row.text('uuid'),
        name: row.text('name'),
        ...scopeColumns(row),
        description: row.text('description', 255),
        token_hash: pbkdf2Hash(iterations, row.text('token_salt'), hash),
        token_salt: '',
        version: row.text('version', 64),
        labels: row.texts('agent_labels').map((label) => label.replace(/:.*$/s, '')),
        is_ephemeral: row.flag('ephemeral'),
        is_disabled: row.flag('is_disabled'),
        can_cancel: row.flag('has_cancelling_support'),
        used_by_task: null,
        created_at: row.time('created'),
        updated_at: row.time('updated'),
      }),
      targetRow(RunnerActivityRow, {
        runner_id: id,
        online_at: row.time('last_online'),
        active_at: row.time('last_active'),
      }),
    ];
  },
};

export const registrations = (service: Pick<RegistrationService, 'stored'>): TableMapping => ({
  id: 'actions.registrations',
  table: 'action_runner_token',
  idTable: RegistrationRow,
  references: scopeReferences,
  ignored: ['updated'],
  map(row) {
    const token = row.text('token');
    if (row.number('deleted') > 0) return skippedRow('it was deleted');
    if (token === '' || token.length > maxRegistrationToken) return skippedRow('its token is empty or too long');
    return targetRow(RegistrationRow, {
      id: row.number('id'),
      ...scopeColumns(row),
      ...service.stored(token),
      is_active: row.flag('is_active'),
      created_at: row.time('created'),
    });
  },
});

/** One more than the runners know: they look for work when they have come. */
export const versions: TableMapping = {
  id: 'actions.versions',
  table: 'action_tasks_version',
  ignored: ['created_unix', 'updated_unix'],
  map: (row) =>
    targetRow(VersionRow, {
      owner_id: row.number('owner_id'),
      repository_id: row.number('repo_id'),
      version: row.number('version') + 1,
    }),
};
