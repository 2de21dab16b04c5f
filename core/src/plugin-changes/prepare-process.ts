/** The process that prepares a change; see `prepareChange`. */
import { Problem } from '@mortise/plugin-sdk';
import { InstalledPlugins } from '../installed-plugins/index.js';
import type { Prepared, PrepareResult, PrepareTask } from './prepare-task.js';

process.once('message', (task: PrepareTask) => void answer(task));
// whoever asked is gone
process.once('disconnect', () => process.exit(1));

async function answer(task: PrepareTask): Promise<void> {
  process.send?.(
    await preparedOf(task).then(
      (prepared): PrepareResult => ({ prepared }),
      (error: unknown): PrepareResult => ({
        problem:
          error instanceof Problem
            ? { code: error.code, message: error.message }
            : { code: 'unavailable', message: (error as Error).message },
      }),
    ),
  );
}

function preparedOf({ options, kind, request }: PrepareTask): Promise<Prepared> {
  const installed = new InstalledPlugins(options);
  return kind === 'add' || kind === 'update' ? installed.pack(request) : installed.checkRemovable(request.plugin);
}
