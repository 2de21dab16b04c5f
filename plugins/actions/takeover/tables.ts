import type { TableMapping } from '@mortise/plugin-sdk';
import type { RegistrationService } from '../services/runners/registration.js';
import type { SecretService } from '../services/secrets/secret-service.js';
import { LogTakeover, type LogTakeoverDeps } from './logs.js';
import { registrations, runners, versions } from './runners.js';
import { attemptTable, jobTable, runCounters, runTable } from './runs.js';
import { secrets, variables } from './secrets.js';
import { outputs, steps, taskTable } from './tasks.js';
import { disabledWorkflows, scheduleTable, scheduleSpecs, scopedSourceTables } from './workflows.js';

interface ActionTakeoverDeps extends LogTakeoverDeps {
  readonly registration: Pick<RegistrationService, 'stored'>;
  readonly secretStore: Pick<SecretService, 'stored'>;
}

export const tables = (deps: ActionTakeoverDeps): readonly TableMapping[] => [
  runners,
  registrations(deps.registration),
  versions,
  secrets(deps.secretStore),
  variables,
  runTable,
  attemptTable,
  jobTable,
  runCounters,
  taskTable(new LogTakeover(deps)),
  steps,
  outputs,
  scheduleTable,
  scheduleSpecs,
  disabledWorkflows,
  ...scopedSourceTables,
];
