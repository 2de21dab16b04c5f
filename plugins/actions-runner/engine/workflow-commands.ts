import { parseCommand, type WorkflowCommand } from '@mortise/actions/workflow';
import type { JobLog } from './job-log.js';
import type { StepOutput } from './types.js';

/** What is done with a line of output: commands are obeyed, and some are not shown. */
export function commandListener(
  log: JobLog,
  output: StepOutput,
  showsDebug: boolean,
): (line: string) => string | undefined {
  let stopped: string | undefined;
  return (line) => {
    const command = line.includes('::') ? parseCommand(line) : undefined;
    if (stopped !== undefined) {
      if (line.trim() === `::${stopped}::`) stopped = undefined;
      return line;
    }
    if (!command) return line;
    if (command.name === 'stop-commands') {
      stopped = command.value;
      return line;
    }
    return executeCommand(command, line, { log, output, showsDebug });
  };
}

function executeCommand(
  { name, properties, value }: WorkflowCommand,
  line: string,
  { log, output, showsDebug }: { readonly log: JobLog; readonly output: StepOutput; readonly showsDebug: boolean },
): string | undefined {
  switch (name) {
    case 'add-mask':
      log.masks.add(value);
      return undefined;
    case 'set-output':
      if (properties.name) output.outputs[properties.name] = value;
      return undefined;
    case 'save-state':
      if (properties.name) output.state[properties.name] = value;
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
