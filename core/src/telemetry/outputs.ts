import { resolve } from 'node:path';
import { Joi } from '@mortise/plugin-sdk';
import type { SettingsRegistry } from '../settings/registry.js';
import { logLevel, logSettings, type LogLevel, type LogSettings } from './settings.js';

/** Where lines go that are important enough. */
export type LogOutput =
  | { readonly mode: 'console'; readonly level: LogLevel; readonly stream: 'stdout' | 'stderr' }
  | { readonly mode: 'file'; readonly level: LogLevel; readonly file: LogFileSettings };

/** What `LogFile` does with a file. */
export interface LogFileSettings {
  readonly path: string;
  readonly rotates: boolean;
  readonly maxBytes: number;
  readonly isDaily: boolean;
  readonly maxDays: number;
  readonly compression: number | undefined;
}

interface OutputSettings {
  MODE: 'console' | 'file';
  LEVEL: '' | LogLevel;
}

interface ConsoleSettings extends OutputSettings {
  STDERR: boolean;
}

interface FileSettings extends OutputSettings {
  FILE_NAME: string;
  LOG_ROTATE: boolean;
  MAX_SIZE_SHIFT: number;
  DAILY_ROTATE: boolean;
  MAX_DAYS: number;
  COMPRESS: boolean;
  COMPRESSION_LEVEL: number;
}

const level = logLevel
  .allow('')
  .default('')
  .description('Least important messages that are written here; empty: as [log] LEVEL says');

const consoleKeys = {
  LEVEL: level,
  STDERR: Joi.boolean().default(false).description('Write to standard error in place of standard output'),
};

const fileKeys = {
  LEVEL: level,
  FILE_NAME: Joi.string().default('mortise.log').description('The file, relative to [log] ROOT_PATH'),
  LOG_ROTATE: Joi.boolean()
    .default(true)
    .description('Begin a new file by size and day; false: leave that to another program, such as logrotate'),
  MAX_SIZE_SHIFT: Joi.number()
    .integer()
    .min(10)
    .max(40)
    .default(28)
    .description('A file that has 2 to the power of so many bytes is rotated; 28: 256 MiB'),
  DAILY_ROTATE: Joi.boolean().default(true).description('Rotate at midnight'),
  MAX_DAYS: Joi.number()
    .integer()
    .min(0)
    .default(7)
    .description('Days after which rotated files are removed; 0: never'),
  COMPRESS: Joi.boolean().default(true).description('Compress rotated files with gzip'),
  COMPRESSION_LEVEL: Joi.number()
    .integer()
    .min(-1)
    .max(9)
    .default(-1)
    .description('From 1, the fastest, to 9, the smallest; -1: as gzip does'),
};

const mode = (...kinds: readonly LogOutput['mode'][]) =>
  Joi.string()
    .valid(...kinds)
    .description('Kind of output');

const consoleSettings = Joi.object<ConsoleSettings>({ MODE: mode('console').default('console'), ...consoleKeys });
const fileSettings = Joi.object<FileSettings>({ MODE: mode('file').default('file'), ...fileKeys });
/** `[log.errors]` says itself what it is. */
const namedSettings = Joi.object<ConsoleSettings & FileSettings>({
  MODE: mode('console', 'file').required(),
  ...consoleKeys,
  ...fileKeys,
});

/** Reads `[log]` and a section for each of its outputs; `[log.console]` and `[log.file]` are declared in any case. */
export function declareLog(settingsRegistry: SettingsRegistry, workDir: string) {
  const log = settingsRegistry.declare('core', 'log', logSettings);
  const builtIn = {
    console: settingsRegistry.declare('core', 'log.console', consoleSettings),
    file: settingsRegistry.declare('core', 'log.file', fileSettings),
  };
  const outputs = log.MODE.map((name): LogOutput => {
    if (name === 'console') return consoleOutput(log, builtIn.console);
    if (name === 'file') return fileOutput(log, builtIn.file, workDir);
    const own = settingsRegistry.declare('core', `log.${name}`, namedSettings);
    return own.MODE === 'file' ? fileOutput(log, own, workDir) : consoleOutput(log, own);
  });
  return { ...log, outputs };
}

const consoleOutput = (log: LogSettings, { LEVEL, STDERR }: ConsoleSettings): LogOutput => ({
  mode: 'console',
  level: LEVEL || log.LEVEL,
  stream: STDERR ? 'stderr' : 'stdout',
});

const fileOutput = (log: LogSettings, own: FileSettings, workDir: string): LogOutput => ({
  mode: 'file',
  level: own.LEVEL || log.LEVEL,
  file: {
    path: resolve(workDir, log.ROOT_PATH, own.FILE_NAME),
    rotates: own.LOG_ROTATE,
    maxBytes: 2 ** own.MAX_SIZE_SHIFT,
    isDaily: own.DAILY_ROTATE,
    maxDays: own.MAX_DAYS,
    compression: own.COMPRESS ? own.COMPRESSION_LEVEL : undefined,
  },
});
