import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, tgz } from '@mortise/packages/testing';
import { chart } from './charts.js';

export const lab = Lab.script();

const post = (payload: Buffer) => ({ method: 'POST', path: '/api/charts', payload });
const broken = (fields: Readonly<Record<string, string | undefined>>, more?: string) => post(chart(fields, more));
/** Ten lists, each of ten times the one before. */
const laughs = Array.from(
  { length: 12 },
  (_, n) =>
    `l${n}: &l${n} [${Array(10)
      .fill(n ? `*l${n - 1}` : 'x')
      .join(', ')}]\n`,
);

const yaml = 'apiVersion: v2\nname: tool\nversion: 1.0.0\n';

describePackageFormat(lab, {
  plugin: 'package-helm',
  key: 'helm',
  name: 'tool',
  versions: ['1.9.0', '1.10.0-rc.1'],
  publish: (version) => post(chart({ version })),
  download: (version) => ({ method: 'GET', path: `/tool-${version}.tgz` }),
  content: (version) => chart({ version }),
  lookUp: {
    request: { method: 'GET', path: '/index.yaml' },
    versions: ({ payload }) => [...payload.matchAll(/^ +version: "(.*)"$/gm)].map(([, version]) => version!),
  },
  remove: (version) => ({ method: 'DELETE', path: `/api/charts/tool/${version}` }),
  many: Array.from({ length: 20 }, (_, n) => `2.${n}.0`),
  garbage: post,
  hostile: () => [
    ...hostileTarballs('tool/Chart.yaml').map((data) => post(data)),
    post(tgz({ 'tool/Chart.yaml': yaml, 'tool/README.md': '', '../../evil': 'x' })),
    post(
      tgz([
        { name: 'tool/Chart.yaml', data: yaml },
        { name: 'tool/link', type: '2' },
      ]),
    ),
    broken({}, `${laughs.join('')}keywords: *l11\n`),
    broken({}, `annotations: ${'{a: '.repeat(2000)}b${'}'.repeat(2000)}\n`),
    broken({}, `keywords:\n${'- a\n'.repeat(20_000)}`),
  ],
  indexes: [{ method: 'GET', path: '/index.yaml' }],
  broken: [
    broken({ apiVersion: undefined }),
    broken({ name: undefined }),
    broken({ name: '../tool' }),
    broken({ name: '[tool]' }),
    broken({ version: undefined }),
    broken({ version: 'one' }),
    broken({ version: '1.0.0/..' }),
    broken({ type: 'none' }),
    broken({}, '\tno: [yaml'),
    broken({}, `deep: ${'['.repeat(200_000)}`),
    post(tgz({ 'tool/values.yaml': '' })),
    post(tgz({ 'Chart.yaml': 'apiVersion: v2\nname: tool\nversion: 1.0.0\n' })),
    post(tgz({ 'tool/Chart.yaml': '- a\n' })),
    post(tgz({ 'tool/Chart.yaml': `a: ${'x'.repeat(300_000)}` })),
  ],
});
