import { Joi } from '@mortise/plugin-sdk';
import { names } from '../settings/names.js';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];

const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogSettings {
  MODE: readonly string[];
  LEVEL: LogLevel;
  FORMAT: LogFormat;
  ROOT_PATH: string;
}

export interface TracingSettings {
  OTLP_ENDPOINT: string;
  OTLP_HEADERS: string;
  SERVICE_NAME: string;
  SAMPLE_RATIO: number;
}

/** `[tracing]` */
export const tracingSettings = Joi.object<TracingSettings, true>({
  OTLP_ENDPOINT: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .allow('')
    .default('')
    .description(
      'Address of an OpenTelemetry collector that takes OTLP over HTTP, for instance http://127.0.0.1:4318; empty: no traces',
    ),
  OTLP_HEADERS: Joi.string()
    .allow('')
    .default('')
    .description('Headers sent to the collector, for instance authorization=Bearer%20secret, separated by commas')
    .meta({ secret: true }),
  SERVICE_NAME: Joi.string().default('mortise').description('Name of this service in traces'),
  SAMPLE_RATIO: Joi.number()
    .min(0)
    .max(1)
    .default(1)
    .description('Share of the traces that are kept, unless the caller has decided'),
});

/** A level in the spellings of compatible servers. */
export const logLevel = Joi.string()
  .lowercase()
  .valid(...logLevels)
  .meta({
    compatible: [
      { from: /^fatal$/i, to: 'critical' },
      { from: /^warning$/i, to: 'warn' },
      { from: /^off$/i, to: 'none' },
      { from: /^undefined$/i, to: 'info' },
    ],
  });

/** Outputs of compatible servers that there are none of here. */
const otherModes = new Set(['conn', 'smtp', 'database', 'slack', 'discord', 'dingtalk']);

const modes = Joi.any()
  .custom((value: string, helpers) => {
    const all = names(value.toLowerCase());
    const usable = all.filter((name) => !otherModes.has(name));
    if (!usable.every((name) => /^[\w-]+$/.test(name))) return helpers.error('any.invalid');
    if (usable.length < all.length)
      helpers.warn('log.mode', { left: all.filter((name) => otherModes.has(name)).join(', ') });
    return usable.length > 0 ? [...new Set(usable)] : ['console'];
  })
  .messages({
    'any.invalid': 'must be names such as console and file, separated by commas',
    'log.mode': 'names {{#left}}, which is passed over: there are console and file',
  })
  .default(['console'])
  .meta({ default: 'console', type: 'text' }) as unknown as Joi.ArraySchema<readonly string[]>;

/** `[log]` */
export const logSettings = Joi.object<LogSettings>({
  MODE: modes.description(
    'Where messages go: console, file, or both, separated by commas; any other name is an output of its own, with [log.NAME] MODE = file and what else [log.file] has',
  ),
  LEVEL: logLevel
    .default('info')
    .description('Least important messages that are written: trace, debug, info, warn, error, critical or none'),
  FORMAT: Joi.string()
    .lowercase()
    .valid(...logFormats)
    .default('auto')
    .description('json: one object a line; text: lines for people; auto: text in a terminal, else json'),
  ROOT_PATH: Joi.string().default('log').description('Folder of log files, relative to the work directory'),
});
