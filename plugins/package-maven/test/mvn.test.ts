// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { zip } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
/** The plugins come from the system, so that a run needs no other network than this machine's. */
const plugins = '/usr/share/maven-repo';
const skip =
  !['maven-deploy-plugin', 'maven-dependency-plugin'].every((name) =>
    existsSync(join(plugins, 'org/apache/maven/plugins', name)),
  ) || spawnSync('mvn', ['--version']).status !== 0;

describe('mvn', { timeout: 180_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  let address: string;
  before(async () => {
    if (skip) return;
    host = await startHost({ plugins: ['package-maven', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-mvn-'));
    address = `${await host.url()}/api/packages/ada/maven`;
    const made = await send('POST', '/api/v1/users/ada/tokens', { name: 'mvn', scopes: ['write:package'] });
    for (const [name, token] of [
      ['signed', made.json.sha1],
      ['wrong', 'none'],
    ])
      await writeFile(join(folder, `${name}.xml`), settings(token));
  });
  after(async () => {
    await host?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    host.inject({ method, url, payload, headers: { authorization: ada.authorization } });
  const settings = (token: string) => `<settings>
  <servers><server><id>mine</id><username>ada</username><password>${token}</password></server></servers>
  <mirrors><mirror><id>here</id><mirrorOf>central</mirrorOf><url>file://${plugins}</url></mirror></mirrors>
</settings>`;
  const mvn = (login: 'signed' | 'wrong', ...args: string[]) =>
    run(
      'mvn',
      ['-B', '-q', '-s', join(folder, `${login}.xml`), `-Dmaven.repo.local=${join(folder, 'local')}`, ...args],
      {
        cwd: folder,
        env: { ...process.env, HOME: folder, MAVEN_OPTS: '-Xmx256m -XX:TieredStopAtLevel=1' },
      },
    ).catch((error: Error & { stdout: string }) => {
      throw new Error(error.stdout);
    });
  const deploy = async (login: 'signed' | 'wrong', version: string) => {
    await writeFile(join(folder, 'kit.jar'), zip({ 'hello.txt': version }));
    const coordinates = ['-DgroupId=com.example', '-DartifactId=kit', `-Dversion=${version}`, '-Dpackaging=jar'];
    return mvn(
      login,
      'deploy:deploy-file',
      `-Durl=${address}`,
      '-DrepositoryId=mine',
      '-Dfile=kit.jar',
      ...coordinates,
    );
  };
  const local = () => join(folder, 'local/com/example');
  const fetch = async (login: 'signed' | 'wrong', version: string) => {
    await rm(local(), { recursive: true, force: true });
    return mvn(
      login,
      'dependency:get',
      ...[
        `-DremoteRepositories=mine::default::${address}`,
        `-Dartifact=com.example:kit:${version}`,
        '-Dtransitive=false',
      ],
    );
  };

  it('deploys privately, fetches, and finds what is left', { skip, timeout: 170_000 }, async () => {
    await expect(deploy('wrong', '1.0')).to.reject(/401|authori[sz]/i);
    await deploy('signed', '1.0');
    await deploy('signed', '1.1');
    await expect(deploy('signed', '1.1')).to.reject(/409/);
    await deploy('signed', '2.0-SNAPSHOT');
    await deploy('signed', '2.0-SNAPSHOT');
    await expect(fetch('wrong', '1.0')).to.reject();
    await fetch('signed', 'RELEASE');
    expect((await readFile(join(local(), 'kit/1.1/kit-1.1.jar'))).equals(zip({ 'hello.txt': '1.1' }))).to.be.true();
    await fetch('signed', '2.0-SNAPSHOT');
    expect((await send('DELETE', '/api/v1/packages/ada/maven/com.example%3Akit/1.1')).statusCode).to.equal(204);
    await expect(fetch('signed', '1.1')).to.reject();
    await fetch('signed', 'RELEASE');
    expect((await readFile(join(local(), 'kit/1.0/kit-1.0.jar'))).equals(zip({ 'hello.txt': '1.0' }))).to.be.true();
  });
});
