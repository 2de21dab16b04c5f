import { Joi } from '@mortise/plugin-sdk';
import { redisSettings } from '../broker/settings.js';
import { socketSettings } from '../channels/settings.js';
import { cacheSettings } from '../cache/settings.js';
import { databaseSettings } from '../database/settings.js';
import { httpSettingsSections, type HttpSettings } from '../http/settings.js';
import { queueSettings } from '../jobs/settings.js';
import { proxySettings } from '../outbound/proxy.js';
import { outboundSettings } from '../outbound/settings.js';
import { declareStorage } from '../storage/settings.js';
import { declareLog } from '../telemetry/outputs.js';
import { tracingSettings } from '../telemetry/settings.js';
import type { SettingsRegistry } from './registry.js';
import { workerSettings } from './workers.js';

interface RootSettings {
  APP_NAME: string;
  RUN_MODE: 'prod' | 'dev';
}

/** Keys above the first section. */
const rootSettings = Joi.object<RootSettings, true>({
  APP_NAME: Joi.string().default('Mortise').description('Name of this site'),
  RUN_MODE: Joi.string()
    .lowercase()
    .valid('prod', 'dev')
    .default('prod')
    .description('prod, or dev for work on Mortise itself'),
});

interface PluginSettings {
  PATHS: string;
  ENABLED: string;
  DISABLED: string;
  OPTIONAL: string;
  ALLOWED: string;
  ENABLE_INSTALLATION: boolean;
  CATALOGUE_URL: string;
  MAX_FAILED_STARTS: number;
  START_TIMEOUT: number;
  MIGRATION_TIMEOUT: number;
}

/** `[plugins]`: which plugins are loaded. */
export const pluginSettings = Joi.object<PluginSettings, true>({
  PATHS: Joi.string()
    .allow('')
    .default('')
    .description(
      'Further plugin folders, or folders of plugin folders, separated by commas; relative to the work directory',
    ),
  ENABLED: Joi.string()
    .allow('')
    .default('')
    .description('Names of the only plugins to load, separated by commas; empty: all that are found'),
  DISABLED: Joi.string()
    .allow('')
    .default('')
    .description('Names of plugins that are not loaded, separated by commas; package-* names all that begin so'),
  OPTIONAL: Joi.string()
    .allow('')
    .default('')
    .description(
      'Names of plugins without which the start goes on when they cannot be loaded, separated by commas; not for signing in (accounts, sessions, auth-*)',
    ),
  ALLOWED: Joi.string()
    .allow('')
    .default('')
    .description(
      'Names of the only packages that may be added, and that are loaded where they lie beside Mortise, separated by commas; @acme/* is all of a scope; empty: any. What PATHS names is always allowed',
    ),
  ENABLE_INSTALLATION: Joi.boolean()
    .default(true)
    .description(
      'Administrators may add, update, remove and purge plugins by pages and API; false where plugins come with an image. The commands do so in any case',
    ),
  CATALOGUE_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .allow('')
    .default('')
    .description(
      'Registry of npm packages, such as https://registry.npmjs.org, in which administrators look for plugins and newer versions, and from which plugins are fetched by name; empty: none is searched, and they are fetched from the registry that npm is set to',
    ),
  MAX_FAILED_STARTS: Joi.number()
    .integer()
    .min(0)
    .default(2)
    .description(
      'Starts in a row that a plugin from outside may end; the next goes on without it, until it is enabled or updated. 0: always with it. Not for signing in (auth-*)',
    ),
  START_TIMEOUT: Joi.number()
    .integer()
    .min(1)
    .default(60)
    .description(
      'Seconds that a plugin from outside may take to be loaded, and again to start; after that it has failed',
    ),
  MIGRATION_TIMEOUT: Joi.number()
    .integer()
    .min(1)
    .default(3600)
    .description('Seconds that one migration of tables may take'),
});

interface CronSettings {
  ENABLED?: boolean;
  RUN_AT_START?: boolean;
}

/** `[cron]`: read by way of the sections of tasks, which inherit it. */
const cronSettings = Joi.object<CronSettings, true>({
  ENABLED: Joi.boolean().description(
    'ENABLED of every section [cron.NAME] that does not say it itself; empty: what each section has as its default',
  ),
  RUN_AT_START: Joi.boolean().description('RUN_AT_START of every section [cron.NAME] that does not say it itself'),
});

interface SecretSettings {
  SECRET_KEY: string;
}

const secretSettings = Joi.object<SecretSettings, true>({
  SECRET_KEY: Joi.string()
    .allow('')
    .default('')
    .description(
      'Secret of this installation, the same on all its nodes; empty: made once and kept in config/secret of the work directory',
    )
    .meta({ secret: true }),
});

/** Declares all sections of the kernel and gives their values. */
export function declareKernelSettings(settingsRegistry: SettingsRegistry, workDir: string) {
  const http: Record<string, unknown> = {};
  const root = settingsRegistry.declare('core', '', rootSettings);
  for (const { name, section, schema } of httpSettingsSections) {
    http[name] = settingsRegistry.declare('core', section, schema as Joi.ObjectSchema<object>);
  }
  return {
    root,
    workers: settingsRegistry.declare('core', 'server', workerSettings),
    http: http as unknown as HttpSettings,
    database: settingsRegistry.declare('core', 'database', databaseSettings),
    redis: settingsRegistry.declare('core', 'redis', redisSettings),
    websocket: settingsRegistry.declare('core', 'websocket', socketSettings),
    cache: settingsRegistry.declare('core', 'cache', cacheSettings),
    queue: settingsRegistry.declare('core', 'queue', queueSettings),
    cron: settingsRegistry.declare('core', 'cron', cronSettings),
    storage: declareStorage(settingsRegistry),
    outbound: settingsRegistry.declare('core', 'security', outboundSettings),
    proxy: settingsRegistry.declare('core', 'proxy', proxySettings),
    secret: settingsRegistry.declare('core', 'security', secretSettings),
    log: declareLog(settingsRegistry, workDir),
    tracing: settingsRegistry.declare('core', 'tracing', tracingSettings),
    plugins: settingsRegistry.declare('core', 'plugins', pluginSettings),
  };
}
export type KernelSettings = ReturnType<typeof declareKernelSettings>;
