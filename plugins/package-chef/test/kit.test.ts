import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, tgz } from '@mortise/packages/testing';
import { cookbook } from './cookbooks.js';

export const lab = Lab.script();

const post = (payload: Buffer) => ({ method: 'POST', path: '/api/v1/cookbooks', payload });
const broken = (fields: Readonly<Record<string, unknown>>) => post(cookbook(fields));

describePackageFormat(lab, {
  plugin: 'package-chef',
  key: 'chef',
  name: 'tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => post(cookbook({ version })),
  download: (version) => ({ method: 'GET', path: `/api/v1/cookbooks/tool/versions/${version}/download` }),
  content: (version) => cookbook({ version }),
  lookUp: {
    request: { method: 'GET', path: '/api/v1/universe' },
    versions: ({ payload }) => Object.keys((JSON.parse(payload) as { tool?: object }).tool ?? {}),
  },
  remove: (version) => ({ method: 'DELETE', path: `/api/v1/cookbooks/tool/versions/${version}` }),
  many: Array.from({ length: 20 }, (_, n) => `2.${n}.0`),
  garbage: post,
  hostile: () => [
    ...hostileTarballs('tool/metadata.json').map((data) => post(data)),
    post(tgz({ 'tool/metadata.json': '{"name":"tool","version":"1.0.0"}', '../evil': 'x' })),
  ],
  indexes: [
    { method: 'GET', path: '/api/v1/universe' },
    { method: 'GET', path: '/api/v1/cookbooks' },
    { method: 'GET', path: '/api/v1/cookbooks/tool' },
  ],
  broken: [
    broken({ name: '' }),
    broken({ name: 'to ol' }),
    broken({ name: '../tool' }),
    broken({ name: ['tool'] }),
    broken({ version: 'one' }),
    broken({ version: '1.2.3.4' }),
    broken({ version: '1' }),
    broken({ dependencies: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`a${n}`, '>= 1.0'])) }),
    post(tgz({ 'tool/README.md': '' })),
    post(tgz({ 'metadata.json': '{"name":"tool","version":"1.0.0"}' })),
    post(tgz({ 'tool/metadata.json': 'null' })),
    post(tgz({ 'tool/metadata.json': `"${'x'.repeat(300_000)}"` })),
  ],
});
