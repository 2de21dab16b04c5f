// Database: SQLite alone. Proved is that real clients take the answers; registry.test.ts asks for the same on each.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { tgz } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const skipSkopeo = !has('skopeo');
// without being root it needs a user namespace, which is not everywhere
const skipBuildah = process.getuid?.() !== 0 || !has('buildah');
const hex = (data: Buffer) => createHash('sha256').update(data).digest('hex');

/** An image as a folder. */
async function writeImage(folder: string, tag: string, text: string): Promise<void> {
  const blobs = join(folder, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });
  const add = async (mediaType: string, data: Buffer) => {
    await writeFile(join(blobs, hex(data)), data);
    return { mediaType, digest: `sha256:${hex(data)}`, size: data.length };
  };
  const layer = tgz({ 'hello.txt': text });
  const config = {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [`sha256:${hex(gunzipSync(layer))}`] },
    config: { Labels: { tag } },
  };
  const manifest = {
    schemaVersion: 2,
    config: await add('application/vnd.oci.image.config.v1+json', Buffer.from(JSON.stringify(config))),
    layers: [await add('application/vnd.oci.image.layer.v1.tar+gzip', layer)],
  };
  const entry = await add('application/vnd.oci.image.manifest.v1+json', Buffer.from(JSON.stringify(manifest)));
  const index = {
    schemaVersion: 2,
    manifests: [{ ...entry, annotations: { 'org.opencontainers.image.ref.name': tag } }],
  };
  await writeFile(join(folder, 'index.json'), JSON.stringify(index));
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}

describe('clients of containers', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  let registry: string;
  let token: string;
  before(async () => {
    if (skipSkopeo && skipBuildah) return;
    const port = await freePort();
    registry = `127.0.0.1:${port}`;
    host = await startHost({
      plugins: ['package-container', 'auth-basic', 'auth-token'],
      settings: { server: { HTTP_PORT: port, ROOT_URL: `http://${registry}/` } },
    });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    await host.url();
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      payload: { name: 'clients', scopes: ['write:package'] },
      headers: { authorization: ada.authorization },
    });
    token = made.json.sha1;
    folder = await mkdtemp(join(tmpdir(), 'mortise-containers-'));
    // who is told of a file of credentials wants one to be there
    await writeFile(join(folder, 'auth.json'), '{}');
  });
  after(async () => {
    await host?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const client = async (command: string, ...args: string[]) => {
    const own = { HOME: folder, TMPDIR: folder, REGISTRY_AUTH_FILE: join(folder, 'auth.json'), no_proxy: '127.0.0.1' };
    return (await run(command, args, { cwd: folder, env: { ...process.env, ...own } })).stdout;
  };
  const skopeo = (...args: string[]) => client('skopeo', '--insecure-policy', '--tmpdir', folder, ...args);
  const image = (path: string) => `docker://${registry}/ada/${path}`;
  const open = ['--tls-verify=false'];

  it('skopeo pushes privately, copies, lists, pulls and deletes', { skip: skipSkopeo, timeout: 110_000 }, async () => {
    const signed = [...open, '--creds', `ada:${token}`];
    const to = ['--dest-tls-verify=false', '--dest-creds', `ada:${token}`];
    const from = ['--src-tls-verify=false', '--src-creds', `ada:${token}`];
    for (const tag of ['v1', 'v2']) await writeImage(join(folder, tag), tag, `hello from ${tag}`);
    for (const creds of [[], ['--dest-creds', 'ada:wrong']])
      await expect(skopeo('copy', '--dest-tls-verify=false', ...creds, 'oci:v1:v1', image('team/tool:v1'))).to.reject();
    await skopeo('copy', ...to, 'oci:v1:v1', image('team/tool:v1'));
    // as Docker knows manifests
    await skopeo('copy', ...to, '--format', 'v2s2', 'oci:v2:v2', image('team/tool:v2'));
    await skopeo('copy', ...from, ...to, image('team/tool:v1'), image('mirror:v1'));

    const tags = async () => JSON.parse(await skopeo('list-tags', ...signed, image('team/tool'))).Tags;
    expect(await tags()).to.equal(['v1', 'v2']);
    await expect(skopeo('inspect', ...open, image('team/tool:v1'))).to.reject();
    const told = JSON.parse(await skopeo('inspect', ...signed, image('team/tool:v2')));
    expect(told).to.include({ Name: `${registry}/ada/team/tool`, Architecture: 'amd64', Labels: { tag: 'v2' } });

    await skopeo('copy', ...from, image('mirror:v1'), 'oci:back:v1');
    const index = JSON.parse(await readFile(join(folder, 'back', 'index.json'), 'utf8'));
    const sent = JSON.parse(await readFile(join(folder, 'v1', 'index.json'), 'utf8'));
    expect(index.manifests[0].digest).to.equal(sent.manifests[0].digest);

    await skopeo('delete', ...signed, image('team/tool:v2'));
    expect(await tags()).to.equal(['v1']);
    await expect(skopeo('inspect', ...signed, image('team/tool:v2'))).to.reject();
  });

  it('buildah builds, pushes privately and pulls', { skip: skipBuildah, timeout: 110_000 }, async () => {
    const policy = join(folder, 'policy.json');
    await writeFile(policy, '{"default":[{"type":"insecureAcceptAnything"}]}');
    const context = join(folder, 'context');
    await mkdir(context);
    await writeFile(join(context, 'hello.txt'), 'hello from buildah');
    await writeFile(join(context, 'Containerfile'), 'FROM scratch\nCOPY hello.txt /hello.txt\nLABEL made=here\n');
    const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
    const buildah = (command: string, ...args: string[]) =>
      client(
        'buildah',
        ...storage,
        command,
        ...(/^(bud|pull|push)$/.test(command) ? ['--signature-policy', policy] : []),
        ...args,
      );
    const signed = [...open, '--creds', `ada:${token}`];
    const tags = async () => {
      const headers = { authorization: ada.authorization };
      return (await host.inject({ url: '/v2/ada/built/tags/list', headers })).json.tags as string[];
    };

    await buildah('bud', '--isolation', 'chroot', '--tag', 'built', context);
    for (const creds of [[], ['--creds', 'ada:wrong']])
      await expect(buildah('push', ...open, ...creds, 'built', image('built:v1'))).to.reject();
    for (const tag of ['v1', 'v2']) await buildah('push', ...signed, 'built', image(`built:${tag}`));
    await buildah('push', ...signed, '--format', 'docker', 'built', image('built:docker'));
    expect(await tags()).to.equal(['docker', 'v1', 'v2']);

    await buildah('rmi', '--all', '--force');
    await expect(buildah('pull', ...open, image('built:v1'))).to.reject();
    await buildah('pull', ...signed, image('built:v1'));
    const container = (await buildah('from', '--pull-never', `${registry}/ada/built:v1`)).trim();
    const mounted = (await buildah('mount', container)).trim();
    expect(await readFile(join(mounted, 'hello.txt'), 'utf8')).to.equal('hello from buildah');
    await buildah('rm', container);

    const gone = { method: 'DELETE', url: '/v2/ada/built/manifests/v1' } as const;
    expect((await host.inject({ ...gone, headers: { authorization: ada.authorization } })).statusCode).to.equal(202);
    expect(await tags()).to.equal(['docker', 'v2']);
    await expect(buildah('pull', ...signed, '--policy', 'always', image('built:v1'))).to.reject();
  });
});
