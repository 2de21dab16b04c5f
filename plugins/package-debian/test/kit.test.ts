import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { ar, hostileTarballs, hostileZstd, tarHead, xzBomb } from '@mortise/packages/testing';
import { around, deb } from './debs.js';

export const lab = Lab.script();

const put = (payload: Buffer, path = '/pool/stable/main/upload') => ({ method: 'PUT', path, payload });
const broken = (fields: Readonly<Record<string, string | undefined>>) => put(deb(fields));
const file = (version: string) => `/pool/stable/main/tool_${version}_all.deb`;

describePackageFormat(lab, {
  plugin: 'package-debian',
  key: 'debian',
  name: 'tool',
  versions: ['1.9-1', '1:1.0~rc1-2'],
  publish: (Version) => put(deb({ Version })),
  download: (version) => ({ method: 'GET', path: file(version) }),
  content: (Version) => deb({ Version }),
  lookUp: {
    request: { method: 'GET', path: '/dists/stable/main/binary-all/Packages' },
    versions: ({ payload }) => [...payload.matchAll(/^Version: (.*)/gm)].map(([, version]) => version!),
  },
  remove: (version) => ({ method: 'DELETE', path: `/pool/stable/main/tool/${version}/all` }),
  many: Array.from({ length: 20 }, (_, n) => `2.${n}-${n}`),
  garbage: put,
  hostile: async () => [
    ...hostileTarballs('./control').map((data) => put(around(data, '.gz'))),
    ...hostileZstd(tarHead('./control', 2 ** 31)).map((data) => put(around(data, '.zst'))),
    put(around(await xzBomb(tarHead('./control', 2 ** 31), 64), '.xz')),
    put(ar([{ name: 'control.tar.gz', size: 9_999_999_999 }])),
    put(ar(Array.from({ length: 50_000 }, () => ({ name: 'a' })))),
  ],
  indexes: [
    { method: 'GET', path: '/repository.key' },
    { method: 'GET', path: '/dists/stable/InRelease' },
    { method: 'GET', path: '/dists/stable/Release' },
    { method: 'GET', path: '/dists/stable/Release.gpg' },
    { method: 'GET', path: '/dists/stable/main/binary-all/Packages.gz' },
    { method: 'GET', path: '/dists/stable/main/all/Packages.xz' },
  ],
  broken: [
    broken({ Package: undefined }),
    broken({ Package: 'Tool' }),
    broken({ Package: 'to,ol' }),
    broken({ Package: '../tool' }),
    broken({ Version: undefined }),
    broken({ Version: '1_0' }),
    broken({ Version: '1.0-' }),
    broken({ Version: ':1.0' }),
    broken({ Version: '1.0-1/2' }),
    broken({ Architecture: undefined }),
    broken({ Architecture: 'amd64/..' }),
    broken({ Architecture: 'amd64|x' }),
    broken({ Description: 'a\rFilename: elsewhere' }),
    put(deb({}, { more: 'Version: 2.0\n' })),
    put(deb({}, { more: 'no field\n' })),
    put(deb({}, { more: 'X: y\n'.repeat(200_000) })),
    put(deb({}, { more: ` ${'x\n '.repeat(200_000)}` })),
    put(deb({}, { suffix: '.lz4' })),
    put(deb({}, { pack: () => Buffer.alloc(0) })),
    put(ar({ 'debian-binary': '2.0\n' })),
    put(deb(), '/pool/sta%20ble/main/upload'),
    put(deb(), '/pool/stable/.main/upload'),
    put(deb(), '/pool/sta%7Cble/main/upload'),
  ],
});
