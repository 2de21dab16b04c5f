import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { bytes, publishBody } from './publish-body.js';

export const lab = Lab.script();

const put = (payload: object, path = '/@kit%2fhello') => ({
  method: 'PUT',
  path,
  payload,
  headers: { 'content-type': 'application/json' },
});

const raw = (text: string) => ({ ...put({}), payload: Buffer.from(text) });
const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const many = Array.from({ length: 100_000 }, (_, n) => n);

describePackageFormat(lab, {
  plugin: 'package-npm',
  key: 'npm',
  name: '@kit/hello',
  versions: ['1.0.0', '1.1.0'],
  publish: (version) => put(publishBody(version)),
  download: (version) => ({ method: 'GET', path: `/@kit%2fhello/-/${version}/hello-${version}.tgz` }),
  content: bytes,
  lookUp: {
    request: { method: 'GET', path: '/@kit%2fhello' },
    versions: ({ payload }) => Object.keys((JSON.parse(payload) as { versions: object }).versions),
  },
  remove: (version) => ({ method: 'DELETE', path: `/@kit%2fhello/-/${version}/hello-${version}.tgz/-rev/1` }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-rc.${n}`),
  // tarballs are not opened: the document around them is what is read
  hostile: () => [
    raw('['.repeat(500_000)),
    raw(`{"_id":"${'x'.repeat(4_000_000)}`),
    raw(`{"_attachments":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].description = 'x'.repeat(2_000_000)))),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].keywords = Array(300_000).fill('a')))),
    put(publishBody('1.0.0', (body) => (body['dist-tags'] = Object.fromEntries(many.map((n) => [`t${n}`, '1.0.0']))))),
    { ...raw(''), payload: gzipSync(Buffer.alloc(256 * 1024 * 1024, ' ')), headers: packed },
  ],
  indexes: [
    { method: 'GET', path: '/@kit%2fhello' },
    { method: 'GET', path: '/@kit/hello' },
    { method: 'GET', path: '/-/v1/search?text=hello' },
  ],
  broken: [
    put({}),
    put([] as object),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].dist.integrity = 'sha512-AAAA'))),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].dist.integrity = 'md5-'))),
    put(publishBody('1.0.0', (body) => delete body._attachments)),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].version = '1.0'))),
    put(publishBody('1.0.0', (body) => (body['dist-tags'] = { v1: '1.0.0' }))),
    put(publishBody('1.0.0'), '/other'),
    put(
      publishBody('1.0.0', (body) => (body.versions['1.0.0'].name = '@kit/_x')),
      '/@kit%2f_x',
    ),
  ],
});
