import pino from 'pino';
import type { Logger } from '@mortise/plugin-sdk';
import type { LogLevel } from './settings.js';

export interface LogRoom extends Logger {
  /** The same log, each line tagged with the plugin. */
  of(owner: string): Logger;
  flush(): void;
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

function facade(target: pino.Logger): Logger {
  return {
    debug: (message, fields) => target.debug(fields ?? {}, message),
    info: (message, fields) => target.info(fields ?? {}, message),
    warn: (message, fields) => target.warn(fields ?? {}, message),
    error: (message, fields) => target.error(fields ?? {}, message),
  };
}

/** Structured log, one JSON object a line. One-off commands write to stderr, so that their own words stay alone. */
export function createLog(options: { level: LogLevel; stream: 'stdout' | 'stderr' }): LogRoom {
  const destination = pino.destination({ dest: options.stream === 'stdout' ? 1 : 2, sync: true });
  const root = pino(
    {
      level: pinoLevel[options.level],
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err },
    },
    destination,
  );
  const owners = new Map<string, Logger>();
  return {
    ...facade(root),
    of(owner) {
      let log = owners.get(owner);
      if (!log) owners.set(owner, (log = facade(root.child({ plugin: owner }))));
      return log;
    },
    flush: () => destination.flushSync(),
  };
}
