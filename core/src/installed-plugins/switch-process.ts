/** The process that switches a plugin; see `switchPlugin`. */
import { Problem } from '@mortise/plugin-sdk';
import type { SwitchResult, SwitchTask } from './switch-task.js';
import { disablePlugins, enablePlugins } from './switches.js';

process.once('message', (task: SwitchTask) => void answer(task));
// whoever asked is gone
process.once('disconnect', () => process.exit(1));

async function answer({ options, kind, name, isTrial }: SwitchTask): Promise<void> {
  process.send?.(
    await (kind === 'enable' ? enablePlugins : disablePlugins)(options, [name], { isTrial }).then(
      (changed): SwitchResult => ({ changed }),
      (error: unknown): SwitchResult => ({
        problem:
          error instanceof Problem
            ? { code: error.code, message: error.message }
            : { code: 'unavailable', message: (error as Error).message },
      }),
    ),
  );
}
