import { isatty } from 'node:tty';
import { multistream, pino, type LevelWithSilent, type Logger as PinoLogger } from 'pino';
import type { Logger } from '@mortise/plugin-sdk';
import { LogDestination } from './destination.js';
import { hasColours, painter, readable } from './lines.js';
import { LogFile } from './log-file.js';
import type { LogFileSettings, LogOutput } from './outputs.js';
import { Repeats } from './repeats.js';
import type { LogFormat, LogLevel } from './settings.js';

export interface ManagedLog extends Logger {
  /** The same log, each line tagged with the plugin. */
  of(owner: string): Logger;
  /** Lines are for people. */
  readonly isText: boolean;
  flush(): void;
  /** Undefined: no line goes to a file. Goes on in the files that have the names now: another program renamed them. */
  readonly reopen?: () => void;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly stream: 'stdout' | 'stderr';
  /** Default: one, of this level, to this stream. */
  readonly outputs?: readonly LogOutput[];
  /** Default `auto`: lines for people in a terminal, else one JSON object a line. */
  readonly format?: LogFormat;
  /** Where lines go instead; for tests. */
  readonly destination?: { write(line: string): void; flush?(): void };
}

/** From the least important. */
const pinoLevel: Record<LogLevel, LevelWithSilent> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  critical: 'fatal',
  none: 'silent',
};

const leastImportant = (levels: readonly LevelWithSilent[]): LevelWithSilent =>
  Object.values(pinoLevel).find((level) => levels.includes(level)) ?? 'silent';

type Level = 'debug' | 'info' | 'warn' | 'error';

function facade(target: PinoLogger, tag = ''): { log: Logger; repeats: Repeats[] } {
  const repeats: Repeats[] = [];
  const at = (level: Level) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    target[level](fields ?? {}, message);
  const limited = (level: Level) => {
    const write = at(level);
    const seen = new Repeats({ summary: write });
    repeats.push(seen);
    return (message: string, fields?: Readonly<Record<string, unknown>>) => {
      if (seen.admit(tag, message, fields)) write(message, fields);
    };
  };
  return { log: { debug: at('debug'), info: at('info'), warn: limited('warn'), error: limited('error') }, repeats };
}

interface Target {
  readonly level: LogLevel;
  readonly isText: boolean;
  write(line: string): void;
  flush(): void;
  reopen?(): void;
}

/** A line of the log itself, as pino writes its lines. */
const ownLine = (level: Level, msg: string, fields: object): string =>
  `${JSON.stringify({ level, time: new Date().toISOString(), pid: process.pid, ...fields, msg })}\n`;

const lostLine = (count: number, reason: string): string => ownLine('warn', 'log lines were lost', { count, reason });

interface ConsoleOptions {
  readonly level: LogLevel;
  readonly stream: 'stdout' | 'stderr';
  readonly format: LogFormat;
  readonly destination?: { write(line: string): void; flush?(): void };
}

function consoleTarget({ level, stream, format, destination: given }: ConsoleOptions): Target {
  const descriptor = stream === 'stdout' ? 1 : 2;
  const isText = format === 'text' || (format === 'auto' && isatty(descriptor));
  const paint = painter(isText && hasColours(process.env) && isatty(descriptor));
  const shaped = (line: string) => (isText ? readable(line, paint) : line);
  const destination =
    given ?? new LogDestination(descriptor, { lost: (count, reason) => shaped(lostLine(count, reason)) });
  return { level, isText, write: (line) => destination.write(shaped(line)), flush: () => destination.flush?.() };
}

/** A file that cannot be written is told of on standard error: there may be no other output. */
function fileTarget(level: LogLevel, settings: LogFileSettings, format: LogFormat): Target {
  const isText = format === 'text';
  const shaped = (line: string) => (isText ? readable(line, painter(false)) : line);
  const errors = new LogDestination(2);
  const file = new LogFile({
    ...settings,
    lost: (count, reason) => shaped(lostLine(count, reason)),
    failed: (reason) =>
      errors.write(shaped(ownLine('error', 'the log file cannot be written', { file: settings.path, reason }))),
  });
  return {
    level,
    isText,
    write: (line) => file.write(shaped(line)),
    flush: () => file.flush(),
    reopen: () => file.reopen(),
  };
}

/** Structured log. One-off commands write to stderr, so that their own words stay alone. */
export function createLog({ level, stream, outputs, format = 'auto', destination }: LogOptions): ManagedLog {
  const targets = (outputs ?? [{ mode: 'console', level, stream } as const]).map((output) =>
    output.mode === 'file'
      ? fileTarget(output.level, output.file, format)
      : consoleTarget({ ...output, format, destination }),
  );
  const files = targets.filter((target) => target.reopen);
  const isText = targets.some((target) => target.isText);
  const root = pino(
    {
      level: leastImportant(targets.map((target) => pinoLevel[target.level])),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err },
    },
    multistream(targets.map((target) => ({ level: pinoLevel[target.level], stream: target }))),
  );
  const owners = new Map<string, Logger>();
  const { log, repeats } = facade(root);
  const all = [...repeats];
  return {
    ...log,
    isText,
    of(owner) {
      let tagged = owners.get(owner);
      if (!tagged) {
        const made = facade(root.child({ plugin: owner }), owner);
        all.push(...made.repeats);
        owners.set(owner, (tagged = made.log));
      }
      return tagged;
    },
    flush() {
      for (const one of all) one.end();
      for (const target of targets) target.flush();
    },
    ...(files.length > 0 && { reopen: () => files.forEach((file) => file.reopen?.()) }),
  };
}

/** The log that the settings ask for. One that was asked for by code has no other outputs. */
export function logOf(
  asked: { readonly logLevel?: LogLevel; readonly logStream?: 'stdout' | 'stderr' },
  { LEVEL, FORMAT, outputs }: { LEVEL: LogLevel; FORMAT: LogFormat; outputs: readonly LogOutput[] },
): ManagedLog {
  const isAsked = asked.logLevel !== undefined || asked.logStream !== undefined;
  return createLog({
    level: asked.logLevel ?? LEVEL,
    stream: asked.logStream ?? 'stdout',
    format: FORMAT,
    ...(!isAsked && { outputs }),
  });
}
