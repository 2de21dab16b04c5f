import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, tgz } from '@mortise/packages/testing';
import { pub, upload } from './uploads.js';

export const lab = Lab.script();

const post = (data: Buffer) => ({ ...upload(data), path: '/api/packages/versions/new/upload' });
const spec = (text: string) => post(tgz({ 'pubspec.yaml': text }));
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefgh'.split('').map((name, at) => {
    const before = 'abcdefgh'[at];
    return `${name}: &${name} [${`*${before}, `.repeat(9)}]`;
  }),
].join('\n');

describePackageFormat(lab, {
  plugin: 'package-pub',
  key: 'pub',
  name: 'kit_tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => post(pub(version)),
  download: (version) => ({ method: 'GET', path: `/api/packages/kit_tool/files/${version}.tar.gz` }),
  content: (version) => pub(version),
  lookUp: {
    request: { method: 'GET', path: '/api/packages/kit_tool' },
    versions: ({ payload }) =>
      (JSON.parse(payload) as { versions: { version: string }[] }).versions.map((one) => one.version),
  },
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-dev.${n}`),
  garbage: post,
  hostile: () => [
    ...hostileTarballs('pubspec.yaml').map(post),
    post(pub('1.0.0', '', { '../evil': 'x' })),
    post(pub('1.0.0', `# ${'a'.repeat(140_000)}\n`)),
    spec(`name: kit_tool\nversion: 1.0.0\n${bomb}\n`),
    // few values, of many characters: in a list, and as one key
    spec(`name: kit_tool\nversion: 1.0.0\na: &a ${'x'.repeat(10_000)}\nb: [${'*a, '.repeat(20)}]\n`),
    spec(`name: kit_tool\nversion: 1.0.0\na: &a ${'x'.repeat(60_000)}\n? [${'*a, '.repeat(15_000)}]\n: b\n`),
    spec(`name: kit_tool\nversion: 1.0.0\na: ${'['.repeat(100_000)}\n`),
    spec(`name: kit_tool\nversion: 1.0.0\na: ${'{b: '.repeat(20_000)}\n`),
  ],
  indexes: ['/api/packages/kit_tool', '/api/packages/kit_tool/1.9.0', '/api/packages/kit_tool/versions/1.9.0'].map(
    (path) => ({ method: 'GET', path }),
  ),
  broken: [
    post(tgz({ 'README.md': '' })),
    post(tgz({ 'a/pubspec.yaml': 'name: kit_tool\nversion: 1.0.0\n' })),
    spec('name: kit-tool\nversion: 1.0.0\n'),
    spec('name: 1kit\nversion: 1.0.0\n'),
    spec('version: 1.0.0\n'),
    spec('name: kit_tool\n'),
    spec('name: kit_tool\nversion: one\n'),
    spec('name: kit_tool\nversion: 1.0\n'),
    spec('- a\n- b\n'),
    spec('name: [\n'),
    spec(''),
    {
      method: 'POST',
      path: '/api/packages/versions/new/upload',
      payload: 'file=none',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
});
