import type { TakeoverKind } from '@mortise/plugin-sdk';
import type { RegistrationService } from '../services/runners/registration.js';
import type { SecretService } from '../services/secrets/secret-service.js';
import { LogTakeover, type LogTakeoverDeps } from './logs.js';
import { registrations, runners, versions } from './runners.js';
import { attemptKind, jobKind, runCounters, runKind } from './runs.js';
import { secrets, variables } from './secrets.js';
import { outputs, steps, taskKind } from './tasks.js';
import { disabledWorkflows, scheduleKind, scheduleSpecs, scopedSourceKinds } from './workflows.js';

interface ActionTakeoverDeps extends LogTakeoverDeps {
  readonly registration: Pick<RegistrationService, 'stored'>;
  readonly secretStore: Pick<SecretService, 'stored'>;
}

export const actionTakeover = (deps: ActionTakeoverDeps): readonly TakeoverKind[] => [
  runners,
  registrations(deps.registration),
  versions,
  secrets(deps.secretStore),
  variables,
  runKind,
  attemptKind,
  jobKind,
  runCounters,
  taskKind(new LogTakeover(deps)),
  steps,
  outputs,
  scheduleKind,
  scheduleSpecs,
  disabledWorkflows,
  ...scopedSourceKinds,
];
