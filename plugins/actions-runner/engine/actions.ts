import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluateCondition, interpolateValue, toText, type Value } from '@mortise/actions/workflow';
import { imageName } from '../containers/container-definition.js';
import { readAction, type ActionFile } from './action-file.js';
import { runDockerAction, runImageStep } from './docker-actions.js';
import { fetchAction } from './fetch-action.js';
import { nodesInContainer, hostVariables } from './host-actions.js';
import { inputVariables, stateVariables, texts, type StepRun } from './step-run.js';
import { StepFailure, type Scope } from './types.js';

const maxDepth = 10;

/** Actions that come with the runner, under the names that workflows use. */
const builtin: Readonly<Record<string, string>> = {
  'actions/checkout': 'checkout',
  'actions/upload-artifact': 'upload-artifact',
  'actions/download-artifact': 'download-artifact',
  'actions/cache': 'cache',
  'actions/cache/restore': 'cache-restore',
  'actions/cache/save': 'cache-save',
  'actions/setup-node': 'setup-node',
};

/** Runs the action that a step uses. Throws `StepFailure` where it fails or cannot be run. */
export async function runAction(run: StepRun, uses: string): Promise<void> {
  const { session, scope } = run;
  if (scope.depth >= maxDepth) throw new StepFailure(`actions use one another more than ${maxDepth} levels deep`);
  session.log.write(`Run ${uses}`);
  if (uses.startsWith('docker://')) return runImageStep(run, imageName(uses.slice('docker://'.length)));
  const own = builtin[uses.split('@', 1)[0]!.toLowerCase()];
  if (own !== undefined) return runBuiltin(run, own);
  const { folder, action } = await locate(run, uses);
  const inputs = inputsOf(run, action);
  if (action.kind === 'composite') return runComposite(run, action, folder, inputs);
  if (action.kind === 'docker') return runDockerAction(run, action, folder, inputs);
  return runNode(run, action, folder, inputs);
}

async function locate(run: StepRun, uses: string): Promise<{ folder: string; action: ActionFile }> {
  const { session, signal } = run;
  let folder: string;
  if (uses.startsWith('./') || uses === '.') {
    const { workspace } = session.folders;
    folder = await realpath(join(workspace, uses)).catch(() => {
      throw new StepFailure(`"${uses}" is not in the workspace: a step must fetch the repository first`);
    });
    if (!`${folder}${sep}`.startsWith(`${await realpath(workspace)}${sep}`))
      throw new StepFailure(`"${uses}" leads out of the workspace`);
  } else folder = await fetchAction(session, uses, signal);
  return { folder, action: readAction(folder, uses, session.host.runAs?.uid) };
}

/** What `with` gives, and the defaults of the rest; names in small letters too. */
function inputsOf(run: StepRun, action: ActionFile): Record<string, string> {
  const given = texts(run.step.with, run.evaluation);
  const inputs: Record<string, string> = { ...given };
  const has = (name: string) => Object.keys(given).some((one) => one.toLowerCase() === name.toLowerCase());
  for (const [name, { default: fallback, required }] of Object.entries(action.inputs)) {
    if (has(name)) continue;
    if (required && fallback === undefined) run.session.log.write(`##[warning]The required input "${name}" is missing`);
    inputs[name] =
      fallback === undefined || fallback === null ? '' : toText(interpolateValue(fallback, run.evaluation));
  }
  return inputs;
}

async function runComposite(
  run: StepRun,
  action: ActionFile,
  folder: string,
  inputs: Record<string, string>,
): Promise<void> {
  const { session, scope, signal } = run;
  const inner: Scope = {
    steps: new Map(),
    inputs,
    env: { ...run.env },
    actionPath: folder,
    hasFailed: false,
    depth: scope.depth + 1,
  };
  const before = { ...inner.env };
  for (const [index, step] of action.steps.entries()) {
    if (step.run !== undefined && (step.shell === undefined || step.shell === null))
      throw new StepFailure(`step ${index + 1} of the action has no "shell"`);
    const marked = { ...step, env: { GITHUB_ACTION_PATH: folder, ...(step.env as object | undefined) } };
    const { conclusion } = await run.runStep(session, inner, marked, { signal, defaults: {}, index });
    signal.throwIfAborted();
    if (conclusion === 'failure' || conclusion === 'cancelled') inner.hasFailed = true;
  }
  // Variables that its steps have set hold for the steps after it.
  for (const [key, value] of Object.entries(inner.env)) if (before[key] !== value) scope.env[key] = value;
  const evaluation = session.evaluation(inner, inner.env);
  for (const [name, value] of Object.entries(action.outputs))
    run.output.outputs[name] = toText(interpolateValue(value, evaluation));
  // The step within has told why.
  if (inner.hasFailed) throw new StepFailure('');
}

async function runNode(
  run: StepRun,
  action: ActionFile,
  folder: string,
  inputs: Record<string, string>,
): Promise<void> {
  const { session, scope } = run;
  const variables = { ...inputVariables(inputs), GITHUB_ACTION_PATH: folder };
  const script = async (file: string, signal: AbortSignal, more: Record<string, string>): Promise<void> => {
    const path = join(folder, file);
    const env = { ...scope.env, ...run.env, ...variables, ...more };
    const code = await session.run(session.containers?.hasJob ? 'node' : process.execPath, [path], {
      cwd: session.folders.workspace,
      env,
      signal,
      scope,
      output: run.output,
    });
    if (code !== 0 && !signal.aborted) throw new StepFailure(`The action ended with exit code ${code}.`);
  };
  const holds = (condition: string | undefined): boolean =>
    evaluateCondition(condition ?? 'always()', session.evaluation(scope, scope.env));
  if (action.pre !== undefined && holds(action.preIf))
    await script(action.pre, run.signal, stateVariables(run.output.state));
  const { post } = action;
  if (post !== undefined)
    session.atEnd(`Post ${toText((run.step.name ?? run.step.uses ?? '') as Value)}`, async (signal) => {
      if (holds(action.postIf)) await script(post, signal, stateVariables(run.output.state));
    });
  await script(action.main, run.signal, stateVariables(run.output.state));
}

/** Built-in actions are programs of their own, so that they have the rights of the job and no others. */
async function runBuiltin(run: StepRun, name: string): Promise<void> {
  const { session } = run;
  const token = {
    MORTISE_TOKEN: toText(session.github.token ?? ''),
    MORTISE_SHA: toText(session.github.sha ?? ''),
    MORTISE_REF: toText(session.github.ref ?? ''),
  };
  const inputs = texts(run.step.with, run.evaluation);
  const main = fileURLToPath(new URL('../builtin/main.js', import.meta.url));
  const isOutside = session.containers?.hasJob === true;
  const runnerVariables: Record<string, string> = isOutside
    ? { MORTISE_CONTAINER_USER: session.containers!.user || '0' }
    : {};
  if (isOutside && name === 'setup-node') runnerVariables.MORTISE_NODES = await nodesInContainer(run);
  const start = async (phase: 'main' | 'post', signal: AbortSignal): Promise<void> => {
    const given = { ...run.scope.env, ...run.env };
    const own = { ...inputVariables(inputs), ...stateVariables(run.output.state), ...token, ...runnerVariables };
    const env = { ...(isOutside ? hostVariables(given) : given), ...own };
    const options = {
      cwd: session.folders.workspace,
      env,
      signal,
      scope: run.scope,
      output: run.output,
      isOnHost: true,
    };
    const code = await session.run(process.execPath, [main, name, phase], options);
    if (code !== 0 && !signal.aborted) throw new StepFailure(`The action ended with exit code ${code}.`);
  };
  if (name === 'checkout' || name === 'cache') session.atEnd(`Post ${name}`, async (signal) => start('post', signal));
  await start('main', run.signal);
}
