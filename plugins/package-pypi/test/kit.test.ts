import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, hostileZips, tgz, zip } from '@mortise/packages/testing';
import { source, upload, wheel, wheelName } from './samples.js';

export const lab = Lab.script();

const file = (version: string) => ({ path: `/files/kit-tool/${version}/${wheelName(version)}` });
const json = { accept: 'application/vnd.pypi.simple.v1+json' };

describePackageFormat(lab, {
  plugin: 'package-pypi',
  key: 'pypi',
  name: 'kit-tool',
  versions: ['1.0', '1.1rc1'],
  publish: (version) => upload({ version }, wheelName(version), wheel(version)),
  download: (version) => ({ method: 'GET', ...file(version) }),
  content: wheel,
  lookUp: {
    request: { method: 'GET', path: '/simple/Kit_Tool/', headers: json },
    versions: ({ payload }) => (JSON.parse(payload) as { versions: string[] }).versions,
  },
  many: Array.from({ length: 10 }, (_, n) => `2.${n}`),
  remove: (version) => ({ method: 'DELETE', ...file(version) }),
  garbage: (bytes) => upload({}, 'kit_tool-1.0.tar.gz', bytes),
  hostile: () => [
    ...hostileTarballs('kit_tool-1.0/PKG-INFO').map((data) => upload({}, 'kit_tool-1.0.tar.gz', data)),
    ...hostileZips('kit_tool-1.0.dist-info/METADATA').map((data) => upload({}, wheelName('1.0'), data)),
    upload({}, 'kit_tool-1.0.tar.gz', tgz({ '../evil': 'x' })),
    upload({}, wheelName('1.0'), zip({ '/etc/evil': 'x' })),
  ],
  indexes: [
    { method: 'GET', path: '/simple/' },
    { method: 'GET', path: '/simple/kit-tool' },
    { method: 'GET', path: '/simple/kit-tool/', headers: json },
  ],
  broken: [
    upload({ name: '-x' }, wheelName('1.0'), wheel('1.0')),
    upload({ version: 'one' }, wheelName('1.0'), wheel('1.0')),
    upload({ sha256_digest: 'ab'.repeat(32) }, wheelName('1.0'), wheel('1.0')),
    upload({ requires_python: `>=3${',!=3.1'.repeat(12_000)}` }, wheelName('1.0'), wheel('1.0')),
    upload({ attestations: '{' }, wheelName('1.0'), wheel('1.0')),
    upload({}, 'evil.exe', wheel('1.0')),
    upload({}, wheelName('1.0'), zip({ a: 'x' })),
    upload({}, wheelName('1.0'), source('1.0')),
  ],
});
