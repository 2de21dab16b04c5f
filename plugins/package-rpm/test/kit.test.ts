import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { lying, rpm } from './rpms.js';

export const lab = Lab.script();

const put = (payload: Buffer, path = '/el9/upload') => ({ method: 'PUT', path, payload });
const fields = (label: string) => ({ version: label.split('-')[0]!, release: label.split('-')[1]! });

describePackageFormat(lab, {
  plugin: 'package-rpm',
  key: 'rpm',
  name: 'tool',
  versions: ['1.9-1', '1.10-1'],
  publish: (version) => put(rpm(fields(version))),
  download: (version) => ({ method: 'GET', path: `/el9/package/tool/${version}/x86_64` }),
  content: (version) => rpm(fields(version)),
  lookUp: {
    request: { method: 'GET', path: '/el9/repodata/primary.xml.gz' },
    versions: ({ rawPayload }) =>
      [
        ...gunzipSync(rawPayload)
          .toString()
          .matchAll(/<version epoch="0" ver="(.*?)" rel="(.*?)"/g),
      ].map(([, version, release]) => `${version}-${release}`),
  },
  remove: (version) => ({ method: 'DELETE', path: `/el9/package/tool/${version}/x86_64` }),
  many: Array.from({ length: 20 }, (_, n) => `2.${n}-${n}`),
  garbage: put,
  hostile: () => [
    put(lying(2 ** 32 - 1, 100)),
    put(lying(1, 2 ** 31)),
    put(lying(60_000, 31 * 1024 * 1024)),
    put(lying(1, 20)),
  ],
  indexes: [
    { method: 'GET', path: '.repo' },
    { method: 'GET', path: '/el9.repo' },
    { method: 'GET', path: '/repository.key' },
    { method: 'GET', path: '/el9/repodata/repomd.xml' },
    { method: 'GET', path: '/el9/repodata/repomd.xml.asc' },
  ],
  broken: [
    put(rpm({ name: '../tool' })),
    put(rpm({ version: '1/0' })),
    put(rpm({ release: '' })),
    put(rpm({ arch: 'x86/64' })),
    put(rpm({}).subarray(0, 700)),
    put(rpm({}), '/el9/a%7Cb/upload'),
    put(rpm({}), '/~el9/upload'),
  ],
});
