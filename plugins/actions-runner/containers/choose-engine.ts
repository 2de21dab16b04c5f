import { canDropNewPrivileges } from '../engine/no-new-privileges.js';
import { StepFailure, type RunnerHost } from '../engine/types.js';
import { Engine } from './engine.js';

/**
 * The engine for the jobs of a runner. Where they have a user of their own, one whose containers may be root of the machine is
 * taken only when it is named: a container writes a program of root to the workspace, and the job starts it. Throws
 * `StepFailure` where there is none.
 */
export async function chooseEngine({ containers, runAs }: Pick<RunnerHost, 'containers' | 'runAs'>): Promise<Engine> {
  const isFree = !runAs || containers !== 'auto';
  const fits = async (engine: Engine) => isFree || (canDropNewPrivileges && (await engine.isConfined()));
  const engine = await Engine.find(containers, fits);
  if (engine) return engine;
  if (!isFree && (await Engine.find(containers)))
    throw new StepFailure(
      'this runner gives its jobs no container engine: with it they could become root of the machine. Its operator may name the engine in CONTAINERS',
    );
  throw new StepFailure('this runner has no container engine: it runs jobs on the machine itself');
}
