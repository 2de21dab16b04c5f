import { randomUUID } from 'node:crypto';
import { lstat, realpath, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { evaluateCondition, interpolateValue, toText, type Value } from '@mortise/actions/workflow';
import { imageName, splitWords } from '../containers/container-definition.js';
import type { ActionFile } from './action-file.js';
import { copyForBuild } from './build-folder.js';
import { engineFolder } from './job-folders.js';
import { inputVariables, stateVariables, texts, type StepRun } from './step-run.js';
import { StepFailure } from './types.js';

interface ImageStep {
  readonly image: string;
  readonly entrypoint: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function perform(run: StepRun, step: ImageStep, signal: AbortSignal): Promise<void> {
  const { session, scope, output } = run;
  const env = { ...scope.env, ...run.env, ...step.env, ...stateVariables(output.state) };
  const code = await session.runImage(step, { cwd: session.folders.workspace, env, signal, scope, output });
  if (code !== 0 && !signal.aborted) throw new StepFailure(`The container ended with exit code ${code}.`);
}

/** `uses: docker://image`, with `entrypoint` and `args`. */
export async function runImageStep(run: StepRun, image: string): Promise<void> {
  const inputs = texts(run.step.with, run.evaluation);
  const { entrypoint = '', args = '' } = inputs;
  await perform(run, { image, entrypoint, args: splitWords(args), env: inputVariables(inputs) }, run.signal);
}

/** An action that is an image, or the file for one. */
export async function runDockerAction(
  run: StepRun,
  action: ActionFile,
  folder: string,
  inputs: Record<string, string>,
): Promise<void> {
  const { session, scope } = run;
  await session.needContainers();
  const inner = { ...scope, inputs, actionPath: folder };
  const evaluation = session.evaluation(inner, { ...scope.env, ...run.env });
  const given = run.step.with;
  const ownArgs =
    typeof given === 'object' && given !== null && 'args' in given ? splitWords(inputs.args ?? '') : undefined;
  const args = ownArgs ?? action.args.map((arg) => toText(interpolateValue(arg, evaluation)));
  const env = { ...texts(action.env, evaluation), ...inputVariables(inputs), GITHUB_ACTION_PATH: folder };
  const image = await imageOf(run, action, folder);
  const start = (entrypoint: string, signal: AbortSignal) => perform(run, { image, entrypoint, args, env }, signal);
  const holds = (condition: string | undefined): boolean =>
    evaluateCondition(condition ?? 'always()', session.evaluation(scope, scope.env));
  const { pre, post } = action;
  if (pre !== undefined && holds(action.preIf)) await start(pre, run.signal);
  if (post !== undefined)
    session.atEnd(`Post ${toText((run.step.name ?? run.step.uses ?? '') as Value)}`, async (signal) => {
      if (holds(action.postIf)) await start(post, signal);
    });
  await start(inputs.entrypoint ?? action.entrypoint, run.signal);
}

async function imageOf(run: StepRun, { image }: ActionFile, folder: string): Promise<string> {
  if (image.startsWith('docker://')) return imageName(image.slice('docker://'.length));
  const { session, signal } = run;
  const { runAs } = session.host;
  if (!runAs) return build(run, image, folder);
  const { engine } = await session.needContainers();
  // It would be preprocessed, with files of the machine.
  if (engine.isPodman && image.endsWith('.in')) throw new StepFailure(`"${image}" is no name of a file for an image`);
  // The client has the rights of the runner, and the folder of the action is the job's.
  const copy = join(session.folders.root, engineFolder, `build-${randomUUID()}`);
  try {
    const leftOut = await copyForBuild(folder, copy, { uid: runAs.uid, signal });
    if (leftOut > 0)
      session.log.write(`##[warning]${leftOut} files of the action are not its job's: its image is built without them`);
    return await build(run, image, copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function build({ session, signal }: StepRun, image: string, folder: string): Promise<string> {
  const real = await realpath(folder);
  const file = resolve(real, image);
  // Neither a link nor below one.
  const isOwn = file.startsWith(`${real}${sep}`) && (await realpath(file).catch(() => '')) === file;
  if (!isOwn || !(await lstat(file)).isFile()) throw new StepFailure(`the action has no file "${image}" for its image`);
  return session.buildImage(real, file, { signal });
}
