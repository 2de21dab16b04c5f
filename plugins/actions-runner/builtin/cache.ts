import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requireShared } from './container.js';
import { exec, flag, input, saveState, setOutput, state, variable } from './toolkit.js';

const partSize = 16 * 1_048_576;

const inputLines = (name: string): string[] =>
  input(name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** As they are from the workspace: the folders of another job have other names. */
function cachePaths(): string[] {
  const workspace = variable('GITHUB_WORKSPACE');
  return inputLines('path').map((path) => {
    const full = resolve(workspace, path.replace(/^~(?=\/|$)/, homedir()));
    requireShared(full);
    return relative(workspace, full) || '.';
  });
}

/** Caches of other paths must not be taken. */
const version = (): string =>
  createHash('sha256')
    .update(['gzip', ...inputLines('path')].join('|'))
    .digest('hex');

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const base = variable('ACTIONS_CACHE_URL');
  if (!base) throw new Error('there is no cache server');
  const headers = {
    authorization: `Bearer ${variable('ACTIONS_RUNTIME_TOKEN')}`,
    ...(options.headers as Record<string, string>),
  };
  return fetch(`${base.replace(/\/*$/, '/')}_apis/artifactcache/${path}`, { ...options, headers });
}

/** Inputs key, restore-keys, path, fail-on-cache-miss, lookup-only; outputs cache-hit, cache-primary-key, cache-matched-key. */
export async function restoreCache(): Promise<void> {
  const key = input('key');
  // Before anything is read.
  cachePaths();
  const keys = [key, ...inputLines('restore-keys')];
  setOutput('cache-primary-key', key);
  saveState('key', key);
  const query = new URLSearchParams({ keys: keys.join(','), version: version() });
  const response = await request(`cache?${query.toString()}`).catch((error: unknown) => {
    console.log(`::warning::The cache cannot be asked: ${error instanceof Error ? error.message : ''}`);
    return undefined;
  });
  const found =
    response?.status === 200 ? ((await response.json()) as { archiveLocation?: string; cacheKey?: string }) : undefined;
  if (!found?.archiveLocation) {
    setOutput('cache-hit', 'false');
    if (flag('fail-on-cache-miss', false)) throw new Error(`there is no cache for "${key}"`);
    console.log(`No cache for "${keys.join('", "')}"`);
    return;
  }
  setOutput('cache-hit', String(found.cacheKey === key));
  setOutput('cache-matched-key', found.cacheKey ?? '');
  saveState('matched', found.cacheKey ?? '');
  if (flag('lookup-only', false)) return;
  const archive = join(variable('RUNNER_TEMP'), `cache-${process.pid}.tgz`);
  const content = await fetch(found.archiveLocation);
  if (!content.ok || !content.body) throw new Error(`the cache cannot be read: ${content.status}`);
  await pipeline(
    Readable.fromWeb(content.body as import('node:stream/web').ReadableStream),
    createWriteStream(archive),
  );
  await exec('tar', ['-xzPf', archive, '-C', variable('GITHUB_WORKSPACE')]);
  await rm(archive, { force: true });
  console.log(`Cache "${found.cacheKey ?? ''}" was restored`);
}

/** Keeps the paths under the key, unless a cache with it was restored. */
export async function saveCache(): Promise<void> {
  const key = state('key') || input('key');
  if (state('matched') === key) {
    console.log(`The cache "${key}" is there already`);
    return;
  }
  const workspace = variable('GITHUB_WORKSPACE');
  const there = cachePaths().filter((path) => existsSync(join(workspace, path)));
  if (there.length === 0) {
    console.log('::warning::None of the paths exists: nothing is cached');
    return;
  }
  const archive = join(variable('RUNNER_TEMP'), `cache-${process.pid}.tgz`);
  await exec('tar', ['-czPf', archive, '-C', workspace, '--', ...there]);
  try {
    await uploadArchive(key, archive);
  } finally {
    await rm(archive, { force: true });
  }
}

async function uploadArchive(key: string, archive: string): Promise<void> {
  const { size } = await stat(archive);
  const json = { 'content-type': 'application/json' };
  const reserved = await request('caches', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ key, version: version(), cacheSize: size }),
  });
  if (!reserved.ok) {
    console.log(
      `::warning::The cache "${key}" is not taken: ${reserved.status} ${(await reserved.text()).slice(0, 200)}`,
    );
    return;
  }
  const { cacheId } = (await reserved.json()) as { cacheId: number };
  const file = await open(archive, 'r');
  try {
    const buffer = Buffer.alloc(partSize);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, partSize, at);
      const headers = {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${at}-${at + bytesRead - 1}/*`,
      };
      const sent = await request(`caches/${cacheId}`, {
        method: 'PATCH',
        headers,
        body: new Uint8Array(buffer.subarray(0, bytesRead)),
      });
      if (!sent.ok) throw new Error(`the upload ends with ${sent.status}`);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
  const done = await request(`caches/${cacheId}`, { method: 'POST', headers: json, body: JSON.stringify({ size }) });
  if (!done.ok) throw new Error(`the cache is not kept: ${done.status}`);
  console.log(`Cache "${key}": ${size} bytes`);
}
