import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toText } from '@mortise/actions/workflow';
import type { Session } from './session.js';
import { StepFailure, type StepOutput } from './types.js';

/** Brings `owner/repository[/folder]@ref`, or its full address, into the folder of actions; gives the action's folder. */
export async function fetchAction(session: Session, uses: string, signal: AbortSignal): Promise<string> {
  const at = uses.lastIndexOf('@');
  const ref = uses.slice(at + 1);
  if (at <= 0 || ref === '' || !/^[\w./+-]+$/.test(ref) || ref.startsWith('-'))
    throw new StepFailure(`"${uses}" names no version: write owner/repository@ref`);
  const { address, below } = addressOf(session, uses.slice(0, at), uses);
  const folder = join(
    session.folders.actions,
    createHash('sha256').update(`${address}@${ref}`).digest('hex').slice(0, 40),
  );
  if (!existsSync(join(folder, '.git', 'refs', 'fetched'))) await clone(session, address, ref, folder, signal);
  return join(folder, ...below);
}

function addressOf(session: Session, text: string, uses: string): { address: string; below: readonly string[] } {
  const own = session.host.serverUrl;
  const isOwnServer = own !== '' && text.startsWith(`${own}/`);
  const full = isOwnServer ? [text, own, text.slice(own.length + 1)] : /^(https?:\/\/[^/]+)\/(.+)$/i.exec(text);
  const base = full ? full[1]! : toText(session.github.gitea_default_actions_url ?? '').replace(/\/+$/, '');
  const parts = (full ? full[2]! : text).split('/');
  if (parts.length < 2 || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new StepFailure(`"${uses}" is no action: write owner/repository@ref or ./folder`);
  if (base === '') throw new StepFailure(`"${uses}": there is no server from which actions are fetched`);
  return { address: `${base}/${parts[0]}/${parts[1]}`, below: parts.slice(2) };
}

async function clone(
  session: Session,
  address: string,
  ref: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const output: StepOutput = { outputs: {}, state: {} };
  const scope = { steps: new Map(), inputs: {}, env: {}, actionPath: '', hasFailed: false, depth: 0 };
  const token = toText(session.github.token ?? '');
  const isOwn = session.host.serverUrl !== '' && `${address}/`.startsWith(`${session.host.serverUrl}/`);
  // In the environment: other users of the machine can read a command line.
  const auth: Record<string, string> =
    isOwn && token !== ''
      ? {
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: `http.${session.host.serverUrl}/.extraHeader`,
          GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`token:${token}`).toString('base64')}`,
        }
      : {};
  const env = { GIT_TERMINAL_PROMPT: '0', ...auth };
  const git = async (...args: string[]): Promise<boolean> =>
    (await session.run('git', args, { cwd: session.folders.actions, env, signal, scope, output, isOnHost: true })) ===
    0;
  const isDone =
    (await git('init', '-q', folder)) &&
    (await git('-C', folder, 'fetch', '-q', '--depth', '1', '--no-tags', address, ref)) &&
    (await git('-C', folder, '-c', 'advice.detachedHead=false', 'checkout', '-q', 'FETCH_HEAD')) &&
    (await git('-C', folder, 'update-ref', 'refs/fetched', 'HEAD'));
  signal.throwIfAborted();
  if (!isDone) throw new StepFailure(`the action "${address}@${ref}" cannot be fetched`);
}
