import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { interpolate, type ValueMap } from '@mortise/actions/workflow';
import type { Session } from './session.js';
import { text, type StepRun } from './step-run.js';
import { StepFailure } from './types.js';

const hasBashHere = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].some((path) => existsSync(path));

/** Commands of shells by name; `{0}` is the script. */
const shells: Readonly<Record<string, { readonly command: readonly string[]; readonly end: string }>> = {
  bash: { command: ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', '{0}'], end: '.sh' },
  sh: { command: ['sh', '-e', '{0}'], end: '.sh' },
  python: { command: ['python3', '{0}'], end: '.py' },
  node: { command: ['node', '{0}'], end: '.js' },
  pwsh: { command: ['pwsh', '-command', ". '{0}'"], end: '.ps1' },
};

const hasBashIn = ({ containers }: Session): boolean => (containers?.hasJob ? containers.hasBash : hasBashHere);

/** Runs the commands of a `run` step in their shell. Throws `StepFailure` unless they end with 0. */
export async function runScript(run: StepRun, raw: string): Promise<void> {
  const { session, scope, step, env, evaluation, output, signal } = run;
  const defaults = (run.defaults.run ?? {}) as ValueMap;
  const script = interpolate(raw, evaluation);
  const name = interpolate(
    text(step.shell) ?? text(defaults.shell) ?? (hasBashIn(session) ? 'bash' : 'sh'),
    evaluation,
  );
  const shell = Object.hasOwn(shells, name) ? shells[name]! : { command: name.split(/\s+/).filter(Boolean), end: '' };
  if (!shell.command.some((part) => part.includes('{0}')))
    throw new StepFailure(
      `the shell "${name}" is unknown: name one of ${Object.keys(shells).join(', ')}, or a command with {0}`,
    );
  const folder = interpolate(text(step['working-directory']) ?? text(defaults['working-directory']) ?? '.', evaluation);
  const cwd = resolve(session.folders.workspace, folder);
  if (!session.containers?.hasJob && !existsSync(cwd))
    throw new StepFailure(`the working directory "${folder}" does not exist`);
  const { log } = session;
  log.write(`::group::Run ${script.trim().split('\n', 1)[0] ?? ''}`);
  for (const line of script.trimEnd().split('\n')) log.write(line);
  log.write(`shell: ${shell.command.join(' ')}`);
  log.write('::endgroup::');
  const file = await session.file(`script${shell.end}`, script);
  const [program, ...args] = shell.command.map((part) => part.replaceAll('{0}', file));
  let code: number;
  try {
    code = await session.run(program!, args, { cwd, env, signal, scope, output });
  } catch (error) {
    signal.throwIfAborted();
    throw new StepFailure(`the shell "${name}" cannot be started: ${error instanceof Error ? error.message : ''}`);
  }
  signal.throwIfAborted();
  if (code === 127 && !hasBashIn(session)) throw new StepFailure(`exit code 127: a command was not found`);
  if (code !== 0) throw new StepFailure(`Process completed with exit code ${code}.`);
}
