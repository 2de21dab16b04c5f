import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describePackageFormat, makeUser, startHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();

const pom = (version: string, group = 'com.example') =>
  `<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>${group}</groupId><artifactId>kit</artifactId><version>${version}</version><description>a &lt;kit&gt;</description></project>`;
const put = (payload: string | Buffer, path = '/com/example/kit/1.0/kit-1.0.pom') => ({ method: 'PUT', path, payload });
const file = (version: string) => `/com/example/kit/${version}/kit-${version}.pom`;

describePackageFormat(lab, {
  plugin: 'package-maven',
  key: 'maven',
  name: 'com.example:kit',
  versions: ['1.0', '1.1-SNAPSHOT'],
  publish: (version) => put(pom(version), file(version)),
  download: (version) => ({ method: 'GET', path: file(version) }),
  content: (version) => Buffer.from(pom(version)),
  lookUp: {
    request: { method: 'GET', path: '/com/example/kit/maven-metadata.xml' },
    versions: ({ payload }) => [...payload.matchAll(/<version>([^<]+)/g)].map(([, version]) => version!),
  },
  many: Array.from({ length: 10 }, (_, n) => `2.${n}`),
  garbage: (bytes) => put(bytes),
  hostile: () => [
    put(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]>${pom('1.0')}`),
    put('<a>'.repeat(100_000)),
    put(pom('1.0').replace('</project>', `${'<a/>'.repeat(60_000)}</project>`)),
    put(`<project ${'a="b" '.repeat(200_000)}`),
    put(pom('1.0') + ' '.repeat(1024 * 1024)),
  ],
  indexes: [
    { method: 'GET', path: '/com/example/kit/maven-metadata.xml' },
    { method: 'GET', path: '/com/example/kit/maven-metadata.xml.sha1' },
  ],
  broken: [
    put(pom('1.0', '')),
    put('<html></html>'),
    put('<project><groupId>a</project>'),
    put('x', '/kit.jar'),
    put('x', '/com/ex%3Aample/kit/1.0/kit-1.0.jar'),
  ],
});

lab.test('PKG-05: the list of versions names an artifact as it was published, whoever asks first', async () => {
  const host = await startHost({ plugins: ['package-maven', 'auth-basic'] });
  try {
    const { authorization } = await makeUser(host, 'ada');
    const at = '/api/packages/ada/maven';
    await host.inject({ method: 'PUT', url: at + file('1.0'), payload: pom('1.0'), headers: { authorization } });
    for (const path of ['/Com/Example/KIT', '/com/example/kit']) {
      const { payload } = await host.inject({ url: `${at}${path}/maven-metadata.xml`, headers: { authorization } });
      expect(payload).to.contain(['<groupId>com.example</groupId>', '<artifactId>kit</artifactId>']);
    }
    // the newest is the last that came, also of several within one second
    for (const version of ['3.0', '2.0', '2.1-SNAPSHOT'])
      await host.inject({ method: 'PUT', url: at + file(version), payload: pom(version), headers: { authorization } });
    const { payload } = await host.inject({
      url: `${at}/com/example/kit/maven-metadata.xml`,
      headers: { authorization },
    });
    expect(payload).to.contain(['<release>2.0</release>', '<latest>2.1-SNAPSHOT</latest>']);
    expect([...payload.matchAll(/<version>([^<]+)/g)].map(([, version]) => version)).to.equal([
      '1.0',
      '3.0',
      '2.0',
      '2.1-SNAPSHOT',
    ]);
  } finally {
    await host.close();
  }
});
