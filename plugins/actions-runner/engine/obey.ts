import { commandOf, type WorkflowCommand } from './commands.js';
import type { JobLog } from './log.js';
import type { Said } from './types.js';

/** What is done with a line of output: commands are obeyed, and some are not shown. */
export function listener(log: JobLog, said: Said, showsDebug: boolean): (line: string) => string | undefined {
  let stopped: string | undefined;
  return (line) => {
    const command = line.includes('::') ? commandOf(line) : undefined;
    if (stopped !== undefined) {
      if (line.trim() === `::${stopped}::`) stopped = undefined;
      return line;
    }
    if (!command) return line;
    if (command.name === 'stop-commands') {
      stopped = command.value;
      return line;
    }
    return obey(command, line, { log, said, showsDebug });
  };
}

function obey(
  { name, properties, value }: WorkflowCommand,
  line: string,
  { log, said, showsDebug }: { readonly log: JobLog; readonly said: Said; readonly showsDebug: boolean },
): string | undefined {
  switch (name) {
    case 'add-mask':
      log.masks.add(value);
      return undefined;
    case 'set-output':
      if (properties.name) said.outputs[properties.name] = value;
      return undefined;
    case 'save-state':
      if (properties.name) said.state[properties.name] = value;
      return undefined;
    case 'set-env':
    case 'add-path':
      return `##[error]::${name}:: is switched off: write to the file GITHUB_${name === 'set-env' ? 'ENV' : 'PATH'}`;
    case 'debug':
      return showsDebug ? line : undefined;
    case 'echo':
    case 'add-matcher':
    case 'remove-matcher':
      return undefined;
    default:
      return line;
  }
}
