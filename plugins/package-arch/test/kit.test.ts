import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, hostileZstd, tar, tarHead, xzBomb } from '@mortise/packages/testing';
import { pkg } from './packages.js';

export const lab = Lab.script();

const put = (payload: Buffer, path = '/core') => ({ method: 'PUT', path, payload });
const broken = (values: Readonly<Record<string, string | undefined>>) => put(pkg(values));
const file = (version: string) => `/core/x86_64/tool-${version}-x86_64.pkg.tar.gz`;
const longNames = Array.from({ length: 90 }, (_, n) => ({ name: `${n}/`, type: '5' }));

describePackageFormat(lab, {
  plugin: 'package-arch',
  key: 'arch',
  name: 'tool',
  versions: ['1.9-1', '1:1.0rc1-1'],
  publish: (pkgver) => put(pkg({ pkgver })),
  download: (version) => ({ method: 'GET', path: file(version) }),
  content: (pkgver) => pkg({ pkgver }),
  remove: (version) => ({ method: 'DELETE', path: `/core/tool/${version}/x86_64` }),
  many: Array.from({ length: 20 }, (_, n) => `2.${n}-${n + 1}`),
  garbage: put,
  hostile: async () => [
    ...hostileTarballs('.PKGINFO').map((data) => put(data)),
    ...hostileZstd(tarHead('.PKGINFO', 2 ** 31)).map((data) => put(data)),
    ...hostileZstd(tarHead('usr/bin/tool', 2 ** 33 - 1)).map((data) => put(data)),
    put(await xzBomb(tarHead('.PKGINFO', 2 ** 31), 64)),
    put(gzipSync(Buffer.alloc(100_001 * 512, tarHead('usr/bin/tool', 0)))),
  ],
  indexes: [
    { method: 'GET', path: '/repository.key' },
    { method: 'GET', path: '/core/x86_64/core.db' },
    { method: 'GET', path: '/core/x86_64/core.db.sig' },
    { method: 'GET', path: '/core/x86_64/core.files.tar.gz' },
  ],
  broken: [
    broken({ pkgname: undefined }),
    broken({ pkgname: 'to/ol' }),
    broken({ pkgname: '-tool' }),
    broken({ pkgver: undefined }),
    broken({ pkgver: '1 0-1' }),
    broken({ pkgver: '1.0/../2-1' }),
    broken({ arch: undefined }),
    broken({ arch: 'x86|64' }),
    broken({ builddate: 'today' }),
    broken({ size: '-1' }),
    put(pkg({}, { pack: (data) => data })),
    put(pkg({}, { files: [...longNames, { name: 'a\n%DEPENDS%\nb' }] })),
    put(gzipSync(tar({ 'usr/bin/tool': '' }))),
    put(gzipSync(tar({ '.PKGINFO': 'pkgname = tool\n'.repeat(20_000) }))),
    put(pkg(), '/co%7Cre'),
    put(pkg(), '/.core'),
  ],
});
