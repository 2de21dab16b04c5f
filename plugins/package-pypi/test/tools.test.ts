// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { installedClient } from '@mortise/packages/testing';
import { source, wheel, wheelName } from './samples.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const twine = installedClient('python', 'bin', 'twine');
const uv = installedClient('python', 'bin', 'uv');
const at = '/api/packages/ada/pypi';

describe('twine and uv', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  let token: string;
  before(async () => {
    host = await startHost({ plugins: ['package-pypi', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-pypi-'));
    const made = await send('POST', '/api/v1/users/ada/tokens', { name: 'pypi', scopes: ['write:package'] });
    token = made.json.sha1;
    for (const version of ['1.0', '2.0', '3.0']) {
      await writeFile(join(folder, wheelName(version)), wheel(version));
      await writeFile(join(folder, `kit_tool-${version}.tar.gz`), source(version));
    }
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    host.inject({ method, url, payload, headers: { authorization: ada.authorization } });
  const env = () => ({
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    UV_CACHE_DIR: join(folder, 'cache'),
    UV_NO_CONFIG: '1',
    UV_PYTHON_DOWNLOADS: 'never',
    PYTHON_KEYRING_BACKEND: 'keyring.backends.null.Keyring',
    NO_COLOR: '1',
  });
  const call = (program: string, ...args: string[]) =>
    run(program, args, { cwd: folder, env: env() }).catch((error: Error & { stdout: string; stderr: string }) => {
      // twine tells on its output what went wrong
      throw new Error(`${error.stdout} ${error.stderr}`);
    });

  it('twine uploads privately, once, and not without a token', { skip: !twine, timeout: 60_000 }, async () => {
    const url = (await host.url()) + at;
    const upload = (secret: string, version: string) =>
      call(
        twine!,
        ...[
          'upload',
          '--non-interactive',
          '--disable-progress-bar',
          '--repository-url',
          url,
          '-u',
          'ada',
          '-p',
          secret,
        ],
        ...[wheelName(version), `kit_tool-${version}.tar.gz`],
      );
    await expect(upload('wrong', '1.0')).to.reject(/401/);
    await upload(token, '1.0');
    await expect(upload(token, '1.0')).to.reject(/409/);
    const listed = await send('GET', `${at}/simple/kit-tool/`);
    expect(listed.payload).to.contain([wheelName('1.0'), 'kit_tool-1.0.tar.gz']);
  });

  it('uv publishes, installs the newest, and what is left', { skip: !uv, timeout: 60_000 }, async () => {
    const base = await host.url();
    const publish = (secret: string, version: string) =>
      call(
        uv!,
        ...[
          'publish',
          '--publish-url',
          base + at,
          '--username',
          'ada',
          '--password',
          secret,
          '--trusted-publishing',
          'never',
        ],
        ...[wheelName(version), `kit_tool-${version}.tar.gz`],
      );
    await expect(publish('wrong', '2.0')).to.reject();
    await publish(token, '2.0');
    await publish(token, '3.0');
    const index = (secret?: string) => `${secret ? base.replace('//', `//ada:${secret}@`) : base}${at}/simple/`;
    const resolve = async (secret?: string) => {
      await writeFile(join(folder, 'in.txt'), 'kit-tool\n');
      const { stdout } = await call(
        uv!,
        ...['pip', 'compile', '--no-cache', '--no-header', '--no-annotate', '--generate-hashes'],
        ...['--default-index', index(secret), 'in.txt'],
      );
      return stdout;
    };
    await expect(resolve()).to.reject();
    expect(await resolve(token)).to.contain(['kit-tool==3.0', 'sha256:']);
    const install = ['pip', 'install', '--no-cache', '--target', join(folder, 'target')];
    await call(uv!, ...install, '--default-index', index(token), 'kit-tool');
    const gone = await send('DELETE', '/api/v1/packages/ada/pypi/kit-tool/3.0');
    expect(gone.statusCode).to.equal(204);
    expect(await resolve(token)).to.contain('kit-tool==2.0');
  });
});
