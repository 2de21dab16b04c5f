import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

/** What built-in actions share; they are programs that a step runs, with the variables that every action has. */

export const input = (name: string): string =>
  (process.env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim();

export const flag = (name: string, fallback: boolean): boolean => {
  const text = input(name).toLowerCase();
  return text === '' ? fallback : text === 'true';
};

export const variable = (name: string): string => process.env[name] ?? '';

const put = (file: string, name: string, value: string): void => {
  const path = variable(file);
  if (path) appendFileSync(path, `${name}<<MORTISE_END_OF_VALUE\n${value}\nMORTISE_END_OF_VALUE\n`);
};

export const setOutput = (name: string, value: string): void => put('GITHUB_OUTPUT', name, value);
export const saveState = (name: string, value: string): void => put('GITHUB_STATE', name, value);
export const state = (name: string): string => variable(`STATE_${name}`);
export const setVariable = (name: string, value: string): void => put('GITHUB_ENV', name, value);
export const addPath = (folder: string): void => appendFileSync(variable('GITHUB_PATH'), `${folder}\n`);

/** Runs a program with the outputs of this one; throws unless it ends with 0. */
export async function exec(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<void> {
  const code = await exitCode(program, args, options);
  if (code !== 0)
    throw new Error(`${program} ${args.find((arg) => !arg.startsWith('-')) ?? ''} ended with exit code ${code}`);
}

export function exitCode(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Asks the server's service for jobs; throws with its words. */
export async function callService<T>(path: string, message: object): Promise<T> {
  const base = variable('ACTIONS_RESULTS_URL').replace(/\/+$/, '');
  if (!base) throw new Error('there is no server to ask');
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${variable('ACTIONS_RUNTIME_TOKEN')}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the server answers ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}
