import { gunzipSync, gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, tar } from '@mortise/packages/testing';
import { apk } from './apks.js';

export const lab = Lab.script();

const put = (payload: Buffer, path = '/v3.20/main') => ({ method: 'PUT', path, payload });
const broken = (fields: Readonly<Record<string, string | undefined>>) => put(apk(fields).data);

describePackageFormat(lab, {
  plugin: 'package-alpine',
  key: 'alpine',
  name: 'tool',
  versions: ['1.9-r0', '1.10-r0'],
  publish: (pkgver) => put(apk({ pkgver }).data),
  download: (version) => ({ method: 'GET', path: `/v3.20/main/x86_64/tool-${version}.apk` }),
  content: (pkgver) => apk({ pkgver }).data,
  lookUp: {
    request: { method: 'GET', path: '/v3.20/main/x86_64/APKINDEX.tar.gz' },
    versions: ({ rawPayload }) =>
      [
        ...gunzipSync(rawPayload)
          .toString('latin1')
          .matchAll(/\nV:(.*)/g),
      ].map(([, version]) => version!),
  },
  remove: (version) => ({ method: 'DELETE', path: `/v3.20/main/x86_64/tool-${version}.apk` }),
  many: Array.from({ length: 20 }, (_, n) => `2.${n}-r${n}`),
  garbage: put,
  hostile: () => hostileTarballs('.PKGINFO').map((data) => put(data)),
  indexes: [
    { method: 'GET', path: '/key' },
    { method: 'GET', path: '/v3.20/main/x86_64/APKINDEX.tar.gz' },
  ],
  broken: [
    broken({ pkgname: undefined }),
    broken({ depend: `a\n${'depend = b\n'.repeat(20_000)}` }),
    broken({ pkgver: undefined }),
    broken({ arch: undefined }),
    broken({ pkgname: '../tool' }),
    broken({ pkgver: '1.0/..' }),
    broken({ arch: 'x86|64' }),
    put(gzipSync(tar({ other: 'x' }))),
    // not what its datahash tells
    put(apk({}).data.subarray(0, -1)),
    broken({ datahash: 'f'.repeat(64) }),
    put(apk({}).data, '/v3.20/ma%7Cin'),
    put(apk({}).data, '/%20/main'),
  ],
});
