import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();

describePackageFormat(lab, {
  plugin: 'package-generic',
  key: 'generic',
  name: 'tool',
  versions: ['1.0', '1.1'],
  publish: (version) => ({
    method: 'PUT',
    path: `/tool/${version}/tool.bin`,
    payload: Buffer.from(`bytes of ${version}`),
    headers: { 'content-type': 'application/octet-stream' },
  }),
  download: (version) => ({ method: 'GET', path: `/tool/${version}/tool.bin` }),
  content: (version) => Buffer.from(`bytes of ${version}`),
  remove: (version) => ({ method: 'DELETE', path: `/tool/${version}` }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}`),
  broken: [
    { method: 'PUT', path: '/a%2fb/1.0/tool.bin', payload: 'x' },
    { method: 'PUT', path: '/tool/%20/tool.bin', payload: 'x' },
    { method: 'PUT', path: '/tool/1.0/%20x', payload: 'x' },
  ],
});
