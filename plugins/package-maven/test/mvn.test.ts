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

type Config = Readonly<Record<string, string>>;

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
  /** Runs the goal once for each configuration, in one process: a start of mvn costs more than all that it does then. */
  const mvn = async (login: 'signed' | 'wrong', goal: 'deploy:deploy-file' | 'dependency:get', each: Config[]) => {
    await writeFile(
      join(folder, 'pom.xml'),
      `<project><modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>calls</artifactId><version>1</version><packaging>pom</packaging>
  <build><plugins><plugin><artifactId>maven-${goal.split(':')[0]}-plugin</artifactId><executions>
    ${each.map((one, at) => `<execution><id>call${at}</id><configuration>${elements(one)}</configuration></execution>`).join('\n    ')}
  </executions></plugin></plugins></build>
</project>`,
    );
    const calls = each.map((_, at) => `${goal}@call${at}`);
    return run(
      'mvn',
      ['-B', '-q', '-s', join(folder, `${login}.xml`), `-Dmaven.repo.local=${join(folder, 'local')}`, ...calls],
      {
        cwd: folder,
        env: { ...process.env, HOME: folder, MAVEN_OPTS: '-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC' },
      },
    ).catch((error: Error & { stdout: string }) => {
      throw new Error(error.stdout);
    });
  };
  const elements = (one: Config) =>
    Object.entries(one)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join('');
  const deploy = async (login: 'signed' | 'wrong', ...versions: string[]) => {
    for (const version of versions) await writeFile(join(folder, `${version}.jar`), zip({ 'hello.txt': version }));
    const common = { url: address, repositoryId: 'mine', groupId: 'com.example', artifactId: 'kit', packaging: 'jar' };
    return mvn(
      login,
      'deploy:deploy-file',
      versions.map((version) => ({ ...common, version, file: join(folder, `${version}.jar`) })),
    );
  };
  const local = () => join(folder, 'local/com/example');
  const fetch = async (login: 'signed' | 'wrong', ...versions: string[]) => {
    await rm(local(), { recursive: true, force: true });
    return mvn(
      login,
      'dependency:get',
      versions.map((version) => ({
        remoteRepositories: `mine::default::${address}`,
        artifact: `com.example:kit:${version}`,
        transitive: 'false',
      })),
    );
  };
  const fetched = async (version: string) => {
    const content = await readFile(join(local(), `kit/${version}/kit-${version}.jar`));
    expect(content.equals(zip({ 'hello.txt': version })), version).to.be.true();
  };

  it('deploys privately, fetches, and finds what is left', { skip, timeout: 170_000 }, async () => {
    await expect(deploy('wrong', '1.0')).to.reject(/401|authori[sz]/i);
    await expect(deploy('signed', '1.0', '1.1', '2.0-SNAPSHOT', '2.0-SNAPSHOT', '1.1')).to.reject(/call4.*409/s);
    await expect(fetch('wrong', '1.0')).to.reject(/401|authori[sz]/i);
    await fetch('signed', 'RELEASE', '2.0-SNAPSHOT');
    await fetched('1.1');
    await fetched('2.0-SNAPSHOT');
    expect((await send('DELETE', '/api/v1/packages/ada/maven/com.example%3Akit/1.1')).statusCode).to.equal(204);
    await expect(fetch('signed', 'RELEASE', '1.1')).to.reject(/call1.*kit:jar:1\.1/s);
    await fetched('1.0');
  });
});
