import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { exec, exitCode, flag, input, saveState, setOutput, state, variable } from './toolkit.js';

/** `actions/checkout`: inputs repository, ref, token, path, fetch-depth, fetch-tags, clean, submodules, persist-credentials, lfs, set-safe-directory. */
export async function checkout(): Promise<void> {
  const workspace = variable('GITHUB_WORKSPACE');
  const folder = resolve(workspace, input('path') || '.');
  if (!`${folder}${sep}`.startsWith(`${workspace}${sep}`))
    throw new Error(`the path "${input('path')}" leads out of the workspace`);
  const server = (input('github-server-url') || variable('GITHUB_SERVER_URL')).replace(/\/+$/, '');
  const own = variable('GITHUB_REPOSITORY');
  const repository = input('repository') || own;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error(`"${repository}" is no repository: write owner/name`);
  const isOwn = repository.toLowerCase() === own.toLowerCase();
  const wanted = input('ref') || (isOwn ? variable('MORTISE_REF') : '');
  const sha = input('ref') || !isOwn ? '' : variable('MORTISE_SHA');
  if (wanted.startsWith('-')) throw new Error(`"${wanted}" is no reference`);
  const token = input('token') || variable('MORTISE_TOKEN');
  const header = `http.${server}/.extraHeader`;
  const env: Record<string, string> = { GIT_TERMINAL_PROMPT: '0' };
  if (token)
    Object.assign(env, {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: header,
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`token:${token}`).toString('base64')}`,
    });
  const git = (...args: string[]) => exec('git', ['-C', folder, ...args], { env });

  if (existsSync(folder) && !existsSync(join(folder, '.git')))
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  // Steps may be those of another user, in a container or not.
  if (flag('set-safe-directory', true))
    await exec('git', ['config', '--global', '--add', 'safe.directory', folder], { env });
  await exec('git', ['init', '-q', folder], { env });
  const address = `${server}/${repository}.git`;
  if ((await exitCode('git', ['-C', folder, 'remote', 'add', 'origin', address], { env })) !== 0)
    await git('remote', 'set-url', 'origin', address);
  const depth = Number(input('fetch-depth') || '1');
  const args = ['fetch', '-q', '--prune', ...(flag('fetch-tags', false) ? ['--tags'] : ['--no-tags'])];
  if (depth > 0) args.push('--depth', String(depth));
  const all = depth > 0 ? [] : ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  const first = sha || wanted || 'HEAD';
  // A server may refuse to give a commit by its name; the reference that has it does then.
  if ((await exitCode('git', ['-C', folder, ...args, 'origin', ...all, first], { env })) !== 0) {
    if (!sha || !wanted) throw new Error(`"${first}" cannot be fetched from ${address}`);
    await git('fetch', '-q', '--no-tags', 'origin', wanted);
  }
  if (flag('clean', true)) await git('clean', '-ffdqx');
  const branch = /^refs\/heads\/(.+)$/.exec(wanted)?.[1];
  const target = sha || 'FETCH_HEAD';
  await git(
    '-c',
    'advice.detachedHead=false',
    'checkout',
    '-q',
    '-f',
    ...(branch ? ['-B', branch] : ['--detach']),
    target,
  );
  if (branch) await git('update-ref', `refs/remotes/origin/${branch}`, target);
  if (flag('lfs', false)) await git('lfs', 'pull');
  const submodules = input('submodules').toLowerCase();
  if (submodules === 'true' || submodules === 'recursive')
    await git(
      'submodule',
      'update',
      '-q',
      '--init',
      '--force',
      ...(submodules === 'recursive' ? ['--recursive'] : []),
      ...(depth > 0 ? ['--depth', String(depth)] : []),
    );
  if (token && flag('persist-credentials', true)) {
    await exitCode('git', ['-C', folder, 'config', '--local', '--unset-all', header]);
    storeAuthHeader(folder, `${server}/`, env.GIT_CONFIG_VALUE_0!);
    saveState('header', header);
    saveState('folder', folder);
  }
  setOutput('ref', wanted);
  setOutput('commit', sha);
  await git('log', '-1', '--format=%H');
}

/** Into the configuration by hand: others on the machine can read the arguments of a program. */
function storeAuthHeader(folder: string, address: string, value: string): void {
  const git = execFileSync('git', ['-C', folder, 'rev-parse', '--git-common-dir'], { encoding: 'utf8' }).trim();
  const config = resolve(folder, git, 'config');
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replace(/[\r\n]/g, '')}"`;
  chmodSync(config, 0o600);
  appendFileSync(config, `[http ${quoted(address)}]\n\textraHeader = ${quoted(value)}\n`);
}

/** Takes the credentials out of the working copy again. */
export async function removeAuthHeader(): Promise<void> {
  const [header, folder] = [state('header'), state('folder')];
  if (header && folder) await exitCode('git', ['-C', folder, 'config', '--local', '--unset-all', header]);
}
