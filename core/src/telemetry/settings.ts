import { Joi } from '@mortise/plugin-sdk';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogSettings {
  LEVEL: LogLevel;
}

/** `[log]` */
export const logSettings = Joi.object<LogSettings, true>({
  LEVEL: Joi.string()
    .lowercase()
    .valid(...logLevels)
    .default('info')
    .description('Least important messages that are written: trace, debug, info, warn, error, critical or none'),
});
