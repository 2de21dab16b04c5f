import { Joi } from '@mortise/plugin-sdk';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];

const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogSettings {
  LEVEL: LogLevel;
  FORMAT: LogFormat;
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

/** `[log]` */
export const logSettings = Joi.object<LogSettings, true>({
  LEVEL: Joi.string()
    .lowercase()
    .valid(...logLevels)
    .default('info')
    .description('Least important messages that are written: trace, debug, info, warn, error, critical or none')
    .meta({
      compatible: [
        { from: /^fatal$/i, to: 'critical' },
        { from: /^warning$/i, to: 'warn' },
        { from: /^off$/i, to: 'none' },
        { from: /^undefined$/i, to: 'info' },
      ],
    }),
  FORMAT: Joi.string()
    .lowercase()
    .valid(...logFormats)
    .default('auto')
    .description('json: one object a line; text: lines for people; auto: text in a terminal, else json'),
});
