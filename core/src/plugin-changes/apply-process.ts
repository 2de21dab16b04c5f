/** The process that carries out changes of plugins on one node; see `applyChanges`. */
import { hostname } from 'node:os';
import { locks, Problem, storage } from '@mortise/plugin-sdk';
import { createHost } from '../host.js';
import { restartQuestion, type ApplyResult, type ApplyTask, type RestartReply } from './apply-task.js';
import { ChangeApplier } from './change-applier.js';

/** Whoever waits longer for the turn of this node asks again later. */
const waitMs = 5000;
const turnLock = 'core.applyPluginChanges';

process.once('message', (task: ApplyTask) => void answer(task));
// whoever asked is gone
process.once('disconnect', () => process.exit(1));

async function answer(task: ApplyTask): Promise<void> {
  process.send?.(
    await apply(task).catch((error: unknown): ApplyResult => ({ isBusy: false, problem: (error as Error).message })),
  );
}

async function apply({ options, node, canRestart }: ApplyTask): Promise<ApplyResult> {
  // it takes the services of the kernel, and no plugin
  const host = await createHost({ ...options, plugins: [], tolerant: true, logStream: 'stderr', logLevel: 'none' });
  try {
    let hasTurn = false;
    let failed: string | undefined;
    const turn = host.get(locks).hold(
      turnLock,
      async (lock) => {
        hasTurn = true;
        failed = await new ChangeApplier({
          options,
          workDir: host.composition.workDir,
          database: host.database,
          packages: host.get(storage),
          settingsFile: host.composition.settingsRegistry.file,
          node: { id: node, host: hostname() },
          restart: canRestart ? askRestart : undefined,
          lock,
        }).run();
      },
      { waitMs },
    );
    await turn.catch((error: unknown) => {
      if (hasTurn || !(error instanceof Problem && error.code === 'unavailable')) throw error;
    });
    return { isBusy: !hasTurn, failed };
  } finally {
    await host.stop();
  }
}

function askRestart(): Promise<boolean> {
  return new Promise((resolve) => {
    process.once('message', ({ isRestarted }: RestartReply) => resolve(isRestarted));
    process.send?.({ question: restartQuestion });
  });
}
