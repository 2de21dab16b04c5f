/** The process that prepares a change; see `prepareChange`. */
import { Problem, type PluginContents } from '@mortise/plugin-sdk';
import { createHost } from '../host.js';
import { contentsOf } from '../installed-plugins/contents.js';
import { InstalledPlugins, withPluginOn } from '../installed-plugins/index.js';
import type { TaskOptions } from '../installed-plugins/task-process.js';
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
  return kind === 'add' || kind === 'update'
    ? new InstalledPlugins(options).pack(request)
    : removalOf(options, request.plugin);
}

async function removalOf(options: TaskOptions, plugin: string): Promise<Prepared> {
  const removed = await new InstalledPlugins(options).checkRemovable(plugin);
  // one that is broken can be removed too
  return { ...removed, contents: await contentsIn(options, removed.name).catch(() => undefined) };
}

/** What the plugin brings where it is on; whoever serves may be about to run without it. */
async function contentsIn(options: TaskOptions, plugin: string): Promise<PluginContents> {
  const host = await createHost({
    ...withPluginOn(options, plugin),
    tolerant: true,
    logStream: 'stderr',
    logLevel: 'none',
  });
  try {
    return await contentsOf(host, plugin);
  } finally {
    await host.stop();
  }
}
