// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { installedClient } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

interface Client {
  readonly name: string;
  readonly program: string | undefined;
  readonly publish: readonly string[];
  readonly add: readonly string[];
  /** From the lock file alone. */
  readonly again: readonly string[];
  /** Not of the one that asks the public registry whatever it is told. */
  readonly audit?: readonly string[];
  readonly tag: readonly string[];
}

const clients: readonly Client[] = [
  {
    name: 'pnpm',
    program: installedClient('node', 'node_modules/pnpm/bin/pnpm.cjs'),
    publish: ['publish', '--no-git-checks'],
    add: ['add'],
    again: ['install', '--frozen-lockfile'],
    audit: ['audit'],
    tag: ['dist-tag', 'add'],
  },
  {
    name: 'yarn classic',
    program: installedClient('node', 'node_modules/yarn/bin/yarn.js'),
    publish: ['publish', '--non-interactive', '--no-git-tag-version'],
    add: ['add', '--non-interactive'],
    again: ['install', '--frozen-lockfile', '--non-interactive'],
    tag: ['tag', 'add', '--non-interactive'],
  },
  {
    name: 'yarn modern',
    program: installedClient('node', 'node_modules/@yarnpkg/cli-dist/bin/yarn.js'),
    publish: ['npm', 'publish'],
    add: ['add'],
    again: ['install', '--immutable'],
    audit: ['npm', 'audit'],
    tag: ['npm', 'tag', 'add'],
  },
];

describe('other clients of npm packages (PKG-13)', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let root: string;
  let token: string;
  before(async () => {
    if (!clients.some(({ program }) => program)) return;
    const port = await freePort();
    root = `http://127.0.0.1:${port}`;
    host = await startHost({
      plugins: ['package-npm', 'auth-basic', 'auth-token'],
      settings: { server: { HTTP_PORT: port, ROOT_URL: `${root}/` } },
    });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    await host.url();
    const made = await send('POST', '/api/v1/users/ada/tokens', { name: 'npm', scopes: ['write:package'] });
    token = made.json.sha1;
  });
  after(() => host?.close());

  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    host.inject({ method, url, payload, headers: { authorization: ada.authorization } });

  for (const client of clients) {
    const id = client.name.replace(' ', '-');
    const timeout = 120_000;
    it(
      `${client.name} publishes, installs, audits and finds what is left`,
      { skip: !client.program, timeout },
      async () => {
        const folder = await mkdtemp(join(tmpdir(), `mortise-${id}-`));
        const at = `${root}/api/packages/ada/npm/`;
        const settings = async (where: string, secret?: string) => {
          const login = `${at.slice('http:'.length)}:_authToken=${secret ?? ''}\n`;
          await writeFile(
            join(folder, where, '.npmrc'),
            `registry=${at}\nalways-auth=true\n${secret ? login : ''}update-notifier=false\n`,
          );
          const yarn = [
            `npmRegistryServer: '${at.slice(0, -1)}'`,
            `npmPublishRegistry: '${at.slice(0, -1)}'`,
            `npmAuditRegistry: '${at.slice(0, -1)}'`,
            "unsafeHttpWhitelist: ['127.0.0.1']",
            'nodeLinker: node-modules',
            'enableTelemetry: false',
            `globalFolder: '${join(folder, where, '.global')}'`,
            ...(secret ? [`npmAuthToken: '${secret}'`, 'npmAlwaysAuth: true'] : []),
          ];
          await writeFile(join(folder, where, '.yarnrc'), `registry "${at}"\n`);
          await writeFile(join(folder, where, '.yarnrc.yml'), `${yarn.join('\n')}\n`);
        };
        const call = (where: string, ...args: readonly string[]) =>
          run(process.execPath, [client.program!, ...args], {
            cwd: join(folder, where),
            env: {
              ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|yarn_|ci$)/i.test(name))),
              // nothing is known in one place because it was in another
              HOME: join(folder, where),
              XDG_DATA_HOME: join(folder, where, '.data'),
              XDG_CACHE_HOME: join(folder, where, '.cache'),
              YARN_CACHE_FOLDER: join(folder, where, '.yarn-cache'),
              NPM_CONFIG_CACHE: join(folder, where, '.npm-cache'),
              COREPACK_ENABLE_STRICT: '0',
            },
          });
        const name = `@ada/${id}`;
        const publish = async (version: string) => {
          await writeFile(
            join(folder, 'pkg', 'package.json'),
            JSON.stringify({ name, version, license: 'MIT', files: ['index.js'], bin: { [id]: './index.js' } }),
          );
          return call('pkg', ...client.publish);
        };
        const installed = async () =>
          JSON.parse(await readFile(join(folder, 'app/node_modules', name, 'package.json'), 'utf8')) as {
            version: string;
          };
        try {
          for (const where of ['pkg', 'app', 'other']) {
            await mkdir(join(folder, where));
            await settings(where, token);
            await writeFile(join(folder, where, 'yarn.lock'), '');
            await writeFile(
              join(folder, where, 'package.json'),
              `{"name":"${where}","version":"0.0.0","license":"MIT","private":true}`,
            );
          }
          await writeFile(join(folder, 'pkg', 'index.js'), 'module.exports = 42;\n');
          if (client.name === 'yarn modern') {
            await writeFile(join(folder, 'pkg', 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
            await call('pkg', 'install');
          }
          await settings('pkg');
          await expect(publish('1.0.0')).to.reject();
          await settings('pkg', token);
          await publish('1.0.0');
          await publish('1.1.0');
          await expect(publish('1.1.0')).to.reject();
          await call('pkg', ...client.tag, `${name}@1.0.0`, 'old');
          await call('app', ...client.add, `${name}@old`);
          expect((await installed()).version).to.equal('1.0.0');
          await call('app', ...client.add, `${name}@latest`);
          expect((await installed()).version).to.equal('1.1.0');
          if (client.audit) await call('app', ...client.audit);
          await rm(join(folder, 'app', 'node_modules'), { recursive: true });
          await call('app', ...client.again);
          expect((await installed()).version).to.equal('1.1.0');
          await settings('other');
          await expect(call('other', ...client.add, name)).to.reject();
          await settings('other', token);
          const gone = await send('DELETE', `/api/v1/packages/ada/npm/${encodeURIComponent(name)}/1.1.0`);
          expect(gone.statusCode).to.equal(204);
          await expect(call('other', ...client.add, `${name}@1.1.0`)).to.reject();
          await call('other', ...client.add, name);
          expect(await readFile(join(folder, 'other', 'package.json'), 'utf8')).to.contain('1.0.0');
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
    );
  }
});
