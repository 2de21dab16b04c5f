import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, tar, tgz } from '@mortise/packages/testing';

export const lab = Lab.script();

const box = (info: object = { description: 'a box' }) =>
  tgz({ 'info.json': JSON.stringify(info), 'metadata.json': '{"provider":"virtualbox"}' });
const put = (payload: Buffer, path = '/tool/1.0.0/virtualbox.box') => ({ method: 'PUT', path, payload });

describePackageFormat(lab, {
  plugin: 'package-vagrant',
  key: 'vagrant',
  name: 'tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => put(box(), `/tool/${version}/virtualbox.box`),
  download: (version) => ({ method: 'GET', path: `/tool/${version}/virtualbox.box` }),
  content: () => box(),
  lookUp: {
    request: { method: 'GET', path: '/tool' },
    versions: ({ payload }) =>
      (JSON.parse(payload) as { versions: { version: string }[] }).versions.map((v) => v.version),
  },
  many: Array.from({ length: 20 }, (_, n) => `2.${n}.0`),
  garbage: put,
  hostile: () => [...hostileTarballs('metadata.json'), ...hostileTarballs('info.json')].map((data) => put(data)),
  indexes: [{ method: 'GET', path: '/tool' }],
  broken: [
    put(tgz({ 'info.json': '{}' })),
    put(tgz({ 'metadata.json': '[1]' })),
    put(tgz({ 'metadata.json': '{}', 'info.json': 'no' })),
    put(tar({ 'metadata.json': `{"a":"${'x'.repeat(70_000)}"}` })),
    put(box(), '/tool/one/virtualbox.box'),
    put(box(), '/tool/1.0.0/virtualbox.zip'),
    put(box(), '/tool/1.0.0/.box'),
    put(box(), '/to%20ol/1.0.0/virtualbox.box'),
  ],
});
