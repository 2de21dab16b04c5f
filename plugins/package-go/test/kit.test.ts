import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileZips, zip } from '@mortise/packages/testing';
import { moduleZip, name } from './samples.js';

export const lab = Lab.script();

const put = (payload: Buffer) => ({ method: 'PUT', path: '/upload', payload });
const at = '/example.com/!kit/tool/@v';
const files = (more: Readonly<Record<string, string>>) =>
  put(zip({ [`${name}@v1.0.0/go.mod`]: `module ${name}\n`, ...more }));

describePackageFormat(lab, {
  plugin: 'package-go',
  key: 'go',
  name,
  versions: ['v1.9.0', 'v1.10.0'],
  publish: (version) => put(moduleZip(version)),
  download: (version) => ({ method: 'GET', path: `${at}/${version}.zip` }),
  content: (version) => moduleZip(version),
  lookUp: {
    request: { method: 'GET', path: `${at}/list` },
    versions: ({ payload }) => payload.trim().split('\n'),
  },
  many: Array.from({ length: 10 }, (_, n) => `v1.20.${n}`),
  garbage: put,
  hostile: () => [
    ...hostileZips(`${name}@v1.0.0/go.mod`).map(put),
    files({ [`${name}@v1.0.0/../../evil`]: 'x' }),
    files({ [`${name}@v1.0.0/a/`]: '' }),
    files({ [`${name}@v1.0.0/a`]: '', [`${name}@v1.0.0/A`]: '' }),
    files({ 'elsewhere/a': '' }),
  ],
  indexes: [
    { method: 'GET', path: `${at}/list` },
    { method: 'GET', path: '/example.com/!kit/tool/@latest' },
  ],
  broken: [
    put(moduleZip('1.0.0')),
    put(moduleZip('v1.0')),
    put(moduleZip('v1.0.0+build')),
    put(moduleZip('v2.0.0')),
    put(moduleZip('v1.0.0', 'nodots/tool')),
    put(moduleZip('v1.0.0', name, 'example.com/other')),
    put(zip({ 'a.go': 'package a' })),
  ],
});
