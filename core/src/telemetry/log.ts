import { isatty } from 'node:tty';
import { pino, type Logger as PinoLogger } from 'pino';
import type { Logger } from '@mortise/plugin-sdk';
import { LogDestination } from './destination.js';
import { hasColours, painter, readable } from './lines.js';
import { Repeats } from './repeats.js';
import type { LogFormat, LogLevel } from './settings.js';

export interface ManagedLog extends Logger {
  /** The same log, each line tagged with the plugin. */
  of(owner: string): Logger;
  /** Lines are for people. */
  readonly isText: boolean;
  flush(): void;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly stream: 'stdout' | 'stderr';
  /** Default `auto`: lines for people in a terminal, else one JSON object a line. */
  readonly format?: LogFormat;
  /** Where lines go instead; for tests. */
  readonly destination?: { write(line: string): void; flush?(): void };
}

const pinoLevel: Record<LogLevel, string> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  critical: 'fatal',
  none: 'silent',
};

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

/** Structured log. One-off commands write to stderr, so that their own words stay alone. */
export function createLog({ level, stream, format = 'auto', destination }: LogOptions): ManagedLog {
  const descriptor = stream === 'stdout' ? 1 : 2;
  const isText = format === 'text' || (format === 'auto' && isatty(descriptor));
  const paint = painter(isText && hasColours(process.env) && isatty(descriptor));
  const shaped = (line: string) => (isText ? readable(line, paint) : line);
  const target =
    destination ??
    new LogDestination(descriptor, {
      lost: (count, reason) =>
        shaped(
          `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), pid: process.pid, count, reason, msg: 'log lines were lost' })}\n`,
        ),
    });
  const root = pino(
    {
      level: pinoLevel[level],
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err },
    },
    { write: (line: string) => target.write(shaped(line)) },
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
      target.flush?.();
    },
  };
}
