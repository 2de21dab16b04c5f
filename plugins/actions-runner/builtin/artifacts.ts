import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { matchesPatterns } from '@mortise/actions/workflow';
import { zipStream } from '@mortise/actions/zip';
import { filesBelow, patternList } from '../engine/hash-files.js';
import { callService, flag, input, setOutput, variable } from './toolkit.js';
import { unzip } from './unzip.js';

const service = '/twirp/github.actions.results.api.v1.ArtifactService';
const blockSize = 8 * 1_048_576;

/** Run and job, as the runtime token names them. */
function backendIds(): { workflowRunBackendId: string; workflowJobRunBackendId: string } {
  const [, claims = ''] = variable('ACTIONS_RUNTIME_TOKEN').split('.');
  const { scp = '' } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8') || '{}') as { scp?: string };
  const [, run = '', job = ''] = /Actions\.Results:([^:\s]+):([^:\s]+)/.exec(scp) ?? [];
  if (!run) throw new Error('the runtime token names no run');
  return { workflowRunBackendId: run, workflowJobRunBackendId: job };
}

/** `actions/upload-artifact`: inputs name, path, if-no-files-found, retention-days, include-hidden-files, overwrite. */
export async function uploadArtifact(): Promise<void> {
  const name = input('name') || 'artifact';
  const workspace = variable('GITHUB_WORKSPACE');
  const { folder, files } = matchingFiles(workspace);
  if (files.length === 0) {
    const words = `No files were found for "${input('path')}".`;
    const mode = input('if-no-files-found') || 'warn';
    if (mode === 'error') throw new Error(words);
    if (mode === 'warn') console.log(`::warning::${words}`);
    return;
  }
  const archive = join(variable('RUNNER_TEMP'), `artifact-${process.pid}.zip`);
  const entries = files.map((file) => ({
    name: relative(folder, file),
    modifiedAt: statSync(file).mtimeMs,
    open: async () => Promise.resolve(createReadStream(file)),
  }));
  try {
    await pipeline(zipStream(entries), createWriteStream(archive, { mode: 0o600 }));
    const days = Number(input('retention-days') || '0');
    const expiresAt = days > 0 ? new Date(Date.now() + days * 86_400_000).toISOString() : undefined;
    const of = { ...backendIds(), name };
    if (flag('overwrite', false)) await callService(`${service}/DeleteArtifact`, of).catch(() => undefined);
    const made = await callService<{ signedUploadUrl: string }>(`${service}/CreateArtifact`, {
      ...of,
      version: 4,
      ...(expiresAt ? { expiresAt } : {}),
    });
    const { size, hash } = await uploadFile(archive, made.signedUploadUrl);
    const done = await callService<{ artifactId: string }>(`${service}/FinalizeArtifact`, {
      ...of,
      size: String(size),
      hash: `sha256:${hash}`,
    });
    setOutput('artifact-id', done.artifactId);
    setOutput('artifact-digest', hash);
    console.log(`Artifact "${name}": ${files.length} files, ${size} bytes`);
  } finally {
    await rm(archive, { force: true });
  }
}

/** Files that `path` names: folders, files and patterns; the archive begins at the deepest folder that has all. */
function matchingFiles(workspace: string): { folder: string; files: readonly string[] } {
  const all = filesBelow(workspace);
  const patterns = patternList([input('path')], workspace).map((text) => (text === '.' || text === '' ? '**' : text));
  const wide = patterns.flatMap((text) => [text, `${text}/**`]);
  const hidden = flag('include-hidden-files', false);
  const files = all
    .filter((path) => matchesPatterns(wide, path))
    .filter((path) => hidden || !path.split('/').some((part) => part.startsWith('.')))
    .map((path) => join(workspace, path));
  const [only] = patterns;
  const isPlain = patterns.length === 1 && !/[*?[{]/.test(only!);
  if (files.length === 1 && isPlain && files[0] === join(workspace, only!)) return { folder: dirname(files[0]), files };
  const start =
    patterns.length === 1
      ? only!
          .split('/')
          .filter((part, at, parts) => !parts.slice(0, at + 1).some((one) => /[*?[{]/.test(one)))
          .join('/')
      : '';
  return { folder: join(workspace, start), files };
}

async function uploadFile(path: string, address: string): Promise<{ size: number; hash: string }> {
  const file = await open(path, 'r');
  const hash = createHash('sha256');
  const blocks: string[] = [];
  let size = 0;
  try {
    const buffer = Buffer.alloc(blockSize);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, blockSize, size);
      if (bytesRead === 0) break;
      const part = buffer.subarray(0, bytesRead);
      hash.update(part);
      const id = Buffer.from(`block-${String(blocks.length).padStart(8, '0')}`).toString('base64');
      await putBlock(`${address}&comp=block&blockid=${encodeURIComponent(id)}`, part);
      blocks.push(id);
      size += bytesRead;
    }
  } finally {
    await file.close();
  }
  const list = `<?xml version="1.0" encoding="utf-8"?><BlockList>${blocks.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;
  await putBlock(`${address}&comp=blocklist`, Buffer.from(list));
  return { size, hash: hash.digest('hex') };
}

async function putBlock(address: string, body: Buffer): Promise<void> {
  const response = await fetch(address, {
    method: 'PUT',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/octet-stream' },
  });
  if (!response.ok)
    throw new Error(`the upload ends with ${response.status}: ${(await response.text()).slice(0, 300)}`);
}

interface ListedArtifact {
  readonly artifacts?: readonly {
    readonly name: string;
    readonly databaseId: string;
    readonly workflowJobRunBackendId?: string;
  }[];
}

/** `actions/download-artifact`: inputs name, pattern, path, merge-multiple. Without a name each gets a folder. */
export async function downloadArtifact(): Promise<void> {
  const name = input('name');
  const folder = resolve(variable('GITHUB_WORKSPACE'), input('path') || '.');
  const { artifacts = [] } = await callService<ListedArtifact>(`${service}/ListArtifacts`, backendIds());
  const pattern = input('pattern') || '*';
  const wanted = artifacts.filter((one) => (name ? one.name === name : matchesPatterns([pattern], one.name)));
  if (name && wanted.length === 0) throw new Error(`there is no artifact "${name}" in this run`);
  for (const artifact of wanted) {
    const isAlone = name !== '' || flag('merge-multiple', false);
    const target = isAlone ? folder : join(folder, basename(artifact.name));
    await mkdir(target, { recursive: true });
    const { signedUrl } = await callService<{ signedUrl: string }>(`${service}/GetSignedArtifactURL`, {
      ...backendIds(),
      name: artifact.name,
    });
    const archive = join(variable('RUNNER_TEMP'), `artifact-${process.pid}.zip`);
    const response = await fetch(signedUrl);
    if (!response.ok || !response.body)
      throw new Error(`artifact "${artifact.name}": the server answers ${response.status}`);
    await pipeline(
      Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
      createWriteStream(archive),
    );
    const count = await unzip(archive, target);
    await rm(archive, { force: true });
    console.log(`Artifact "${artifact.name}": ${count} files in ${target}`);
  }
  setOutput('download-path', folder);
}
