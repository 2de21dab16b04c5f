import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { tar, type TarFile } from '@mortise/packages/testing';
import { gem, metadata } from './gems.js';

export const lab = Lab.script();

const push = (payload: Buffer) => ({
  method: 'POST',
  path: '/api/v1/gems',
  headers: { 'content-type': 'application/octet-stream' },
  payload,
});
const described = (text: string) => push(gem('kit-gem', '1.0.0', { metadata: text }));
const form = (fields: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(fields).toString(),
});
const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024));
const plain: TarFile[] = [
  { name: 'metadata.gz', data: gzipSync(metadata('kit-gem', '1.0.0')) },
  { name: 'data.tar.gz', data: 'x' },
];

describePackageFormat(lab, {
  plugin: 'package-rubygems',
  key: 'rubygems',
  name: 'kit-gem',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => push(gem('kit-gem', version)),
  download: (version) => ({ method: 'GET', path: `/gems/kit-gem-${version}.gem` }),
  content: (version) => gem('kit-gem', version),
  lookUp: {
    request: { method: 'GET', path: '/info/kit-gem' },
    versions: ({ payload }) =>
      payload
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(' ')[0]!),
  },
  remove: (version) => ({
    method: 'DELETE',
    path: '/api/v1/gems/yank',
    ...form({ gem_name: 'kit-gem', version }),
  }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0.rc${n}`),
  garbage: push,
  hostile: () => [
    push(tar({ 'metadata.gz': zeros, 'data.tar.gz': '' })),
    push(tar([...plain, { name: '../../evil', data: 'x' }])),
    push(tar([...plain, { name: 'link', type: '2' }])),
    push(tar(Array.from({ length: 5000 }, () => ({ name: 'a' })))),
    push(tar([{ name: 'metadata.gz', data: 'x', size: 8_000_000_000 }])),
    described(`${metadata('kit-gem', '1.0.0')}licenses: ${'['.repeat(100_000)}\n`),
    described(`${metadata('kit-gem', '1.0.0')}summary: &a ${'x'.repeat(10_000)}\nauthors: [${'*a, '.repeat(20)}]\n`),
    described(`name: &a [${'x,'.repeat(1000)}]\nmetadata: [${'*a,'.repeat(20_000)}]\n`),
    described(metadata('kit-gem', '1.0.0', { dependencies: `dependencies:\n${'- {name: a}\n'.repeat(9000)}` })),
  ],
  indexes: [
    ...['/specs.4.8.gz', '/latest_specs.4.8.gz', '/prerelease_specs.4.8.gz', '/versions', '/names'],
    '/info/kit-gem',
    '/quick/Marshal.4.8/kit-gem-1.9.0.gemspec.rz',
  ].map((path) => ({ method: 'GET', path })),
  broken: [
    push(tar({ 'data.tar.gz': '' })),
    push(tar({ 'metadata.gz': gzipSync(metadata('kit-gem', '1.0.0')) })),
    push(gem('kit gem', '1.0.0')),
    push(gem('kit-gem', '1.0.0-rc1')),
    push(gem('kit-gem', 'one')),
    push(gem('kit-gem', '1.0.0', { platform: 'a/b' })),
    described('name: [\n'),
    described('- a list\n'),
    described(metadata('kit-gem', '1.0.0', { dependencies: 'dependencies:\n- name: a/b' })),
  ],
});
