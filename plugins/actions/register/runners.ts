import { readFileSync } from 'node:fs';
import {
  broker,
  cache,
  database,
  defineService,
  metrics,
  site,
  Vault,
  type AnyRef,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { userDeleting } from '@mortise/accounts/api';
import { repositories, repositoryDeleting, repositoryRenamed } from '@mortise/repositories/api';
import { runnerCommands } from '../commands/runners.js';
import { registrationTokens, runners } from '../contract/runners.js';
import { jobSecrets, secrets, variables } from '../contract/secrets.js';
import { taskQueue } from '../contract/tasks.js';
import { tokenSettings } from '../contract/token-settings.js';
import { adminLevel, organizationLevel, repositoryLevel, userLevel } from '../routes/levels.js';
import { runnerRoutes } from '../routes/runners.js';
import { secretRoutes, variableRoutes } from '../routes/secrets.js';
import { taskRoutes } from '../routes/tasks.js';
import { presetToken, RegistrationService } from '../services/runners/registration.js';
import { RunnerService } from '../services/runners/runners.js';
import { RunnerUses } from '../services/runners/uses.js';
import { Leavings } from '../services/runners/leavings.js';
import { SecretKeys } from '../services/secrets/keys.js';
import { SecretService } from '../services/secrets/secrets.js';
import { VariableService } from '../services/secrets/variables.js';
import { TaskVersions } from '../services/tasks/queue.js';
import { TokenSettingsService } from '../services/tasks/token-settings.js';
import type { ActionsSettings } from '../settings.js';

const uses = defineService<RunnerUses>('actions.runnerUses');
const registration = defineService<RegistrationService>('actions.registration');
const versions = defineService<TaskVersions>('actions.taskVersions');
const runnerStore = defineService<RunnerService>('actions.runnerStore');
const secretStore = defineService<SecretService>('actions.secretStore');
const variableStore = defineService<VariableService>('actions.variableStore');
const settingsStore = defineService<TokenSettingsService>('actions.tokenSettingsStore');

export const runnerProvides: readonly AnyRef[] = [
  ...[runners, registrationTokens, secrets, variables, jobSecrets, taskQueue, tokenSettings],
  ...[uses, registration, versions, runnerStore, secretStore, variableStore, settingsStore],
];

/** Runners, secrets, variables and the tasks that runners take. */
export function registerRunners(host: PluginHost, _settings: ActionsSettings): void {
  registerStores(host);
  registerStart(host);
  registerRoutes(host);
  registerEnds(host);
  runnerCommands(host);
}

function registerStores(host: PluginHost): void {
  host.service(uses, { database }, (services) => new RunnerUses(services.database, host.log));
  host.service(
    registration,
    { database, site },
    (services) =>
      new RegistrationService(services.database, new Vault(services.site.secret('registration tokens of runners'))),
  );
  host.service(registrationTokens, { registration }, (services) => services.registration);
  host.service(
    versions,
    { broker, cache, database },
    (services) =>
      new TaskVersions(services.database, services.broker, services.cache.fresh('actions.versions', { max: 20_000 })),
  );
  host.service(taskQueue, { versions }, (services) => services.versions);
  host.service(
    runnerStore,
    { database, uses, versions },
    (services) => new RunnerService(services.database, services.uses, services.versions),
  );
  host.service(runners, { runnerStore }, (services) => services.runnerStore);
  host.service(secretStore, { database, site }, (services) => {
    const keys = new SecretKeys(services.database, new Vault(services.site.secret('keys of action secrets')));
    return new SecretService(services.database, keys, host.log);
  });
  host.service(secrets, { secretStore }, (services) => services.secretStore);
  host.service(variableStore, { database }, (services) => new VariableService(services.database));
  host.service(variables, { variableStore }, (services) => services.variableStore);
  host.service(jobSecrets, { secretStore, variableStore }, (services) => ({
    variablesOf: (repository) => services.variableStore.variablesOf(repository),
    secretsOf: (repository) => services.secretStore.secretsOf(repository),
    secretNamesOf: (repository) => services.secretStore.secretNamesOf(repository),
  }));
  host.service(settingsStore, { database }, (services) => new TokenSettingsService(services.database));
  host.service(tokenSettings, { settingsStore }, (services) => services.settingsStore);
}

function registerStart(host: PluginHost): void {
  host.onStart({ metrics, registration, uses, versions }, async (services) => {
    const preset = presetToken(process.env, (path) => readFileSync(path, 'utf8'));
    if (preset) await services.registration.preset(preset);
    services.metrics.gauge(
      'mortise_actions_waiting_runners',
      'Calls of runners that wait for work',
      () => services.versions.waiting,
    );
    const stop = services.versions.listen();
    return async () => {
      stop();
      services.versions.wakeAll();
      await services.uses.close();
    };
  });
}

function registerRoutes(host: PluginHost): void {
  const parts = { registrationTokens, runners };
  const levels = [repositoryLevel, userLevel, adminLevel];
  host.routes(parts, (services) => levels.flatMap((level) => runnerRoutes(level, services)));
  host.routes({ secrets, variables }, (services) =>
    [repositoryLevel, userLevel].flatMap((level) => [
      ...secretRoutes(level, services),
      ...variableRoutes(level, services),
    ]),
  );
  host.routes({ database, repositories }, taskRoutes);
  host.whenPresent('organizations', () =>
    host.routes({ ...parts, secrets, variables }, (services) => [
      ...runnerRoutes(organizationLevel, services),
      ...secretRoutes(organizationLevel, services),
      ...variableRoutes(organizationLevel, services),
    ]),
  );
}

/** What goes with accounts and repositories. */
function registerEnds(host: PluginHost): void {
  const stores = { database, registration, runnerStore, secretStore, settingsStore, variableStore };
  host.on(repositoryDeleting, 'within', 'forget-runners', stores, ({ repositoryId }, services) =>
    new Leavings(services).ofRepository(repositoryId),
  );
  host.on(userDeleting, 'within', 'forget-runners-of-owner', stores, ({ userId }, services) =>
    new Leavings(services).ofOwner(userId),
  );
  host.on(repositoryRenamed, 'within', 'keep-secrets-back', stores, async ({ repositoryId, from, to }, services) => {
    const ownerOf = (path: string) => path.split('/')[0]!.toLowerCase();
    if (ownerOf(from) !== ownerOf(to)) await new Leavings(services).handOver(repositoryId);
  });
}
