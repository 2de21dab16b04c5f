// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { tgz } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const skip = spawnSync('Rscript', ['--version']).status !== 0;

const source = (version: string): Buffer =>
  tgz({
    'toolr/DESCRIPTION': [
      `Package: toolr\nVersion: ${version}\nTitle: A Tool\nDescription: Says hello.\nLicense: MIT`,
      'Author: Ada\nMaintainer: Ada <ada@example.com>\nEncoding: UTF-8\n',
    ].join('\n'),
    'toolr/NAMESPACE': 'export(hello)\n',
    'toolr/R/hello.R': `hello <- function() "hello from ${version}"\n`,
  });

describe('R (PKG-10)', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  before(async () => {
    if (skip) return;
    host = await startHost({ plugins: ['package-cran', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-r-'));
    await mkdir(join(folder, 'lib'));
  });
  after(async () => {
    await host?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const at = '/api/packages/ada/cran';
  const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: Buffer | object) =>
    host.inject({ method, url, payload, headers: { authorization: ada.authorization } });

  it(
    'installs what was published privately, the highest version that is left',
    { skip, timeout: 110_000 },
    async () => {
      const made = await send('POST', '/api/v1/users/ada/tokens', { name: 'r', scopes: ['read:package'] });
      const base = await host.url();
      for (const version of ['1.0.0', '1.10.0', '1.9.0'])
        expect((await send('PUT', `${at}/src`, source(version))).statusCode).to.equal(201);
      /** What it prints as its last line. */
      const r = async (isSigned: boolean, ...lines: string[]) => {
        const address = (isSigned ? base.replace('//', `//ada:${made.json.sha1}@`) : base) + at;
        const script = [`options(repos = c(mine = "${address}"))`, ...lines].join('\n');
        const env = { ...process.env, HOME: folder, R_LIBS_USER: join(folder, 'lib'), no_proxy: '127.0.0.1' };
        const { stdout } = await run('Rscript', ['--vanilla', '-e', script], { cwd: folder, env });
        return stdout.trim().split('\n').at(-1);
      };
      const available = 'cat(available.packages(filters = list())[, "Version"])';
      const install = 'install.packages("toolr", lib = "lib", quiet = TRUE)';
      expect(await r(true, available)).to.equal('1.10.0');
      expect(await r(false, install, 'cat(requireNamespace("toolr", quietly = TRUE))')).to.equal('FALSE');
      expect(await r(true, install, 'cat(toolr::hello())')).to.equal('hello from 1.10.0');
      expect((await send('DELETE', '/api/v1/packages/ada/cran/toolr/1.10.0')).statusCode).to.equal(204);
      expect(await r(true, available)).to.equal('1.9.0');
    },
  );
});
