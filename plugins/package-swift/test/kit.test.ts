import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileZips, zip } from '@mortise/packages/testing';
import { publication, source, type SwiftUpload } from './sources.js';

export const lab = Lab.script();

const json = { accept: 'application/vnd.swift.registry.v1+json' };
const put = (version: string, deps: SwiftUpload, path = '/kit/Tool') => ({
  method: 'PUT',
  path: `${path}/${version}`,
  ...publication(deps),
});
const archive = source('1');
const manifest = '// swift-tools-version:5.7\n';

describePackageFormat(lab, {
  plugin: 'package-swift',
  key: 'swift',
  name: 'kit.Tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => put(version, { archive: source(version), named: version === '1.9.0' }),
  download: (version) => ({ method: 'GET', path: `/kit/Tool/${version}.zip` }),
  content: (version) => source(version),
  lookUp: {
    request: { method: 'GET', path: '/kit/Tool', headers: json },
    versions: ({ payload }) => Object.keys((JSON.parse(payload) as { releases: object }).releases),
  },
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-beta.${n}`),
  garbage: (bytes) => put('1.0.0', { archive: bytes }),
  hostile: () => [
    ...hostileZips('Package.swift').map((data) => put('1.0.0', { archive: data })),
    put('1.0.0', { archive: zip({ 'Package.swift': manifest, '../evil': 'x' }) }),
    put('1.0.0', { archive: zip({ 'Package.swift': manifest + '/'.repeat(140_000) }) }),
    put('1.0.0', {
      archive: zip(
        Object.fromEntries([
          ['Package.swift', manifest],
          ...Array.from({ length: 64 }, (_, n) => [`Package@swift-5.${n}.swift`, manifest]),
        ]) as Record<string, string>,
      ),
    }),
    put('1.0.0', { archive, metadata: `{"description":"${'x'.repeat(200_000)}"}` }),
    put('1.0.0', { archive, metadata: '['.repeat(100_000) }),
  ],
  indexes: ['/kit/Tool', '/kit/Tool.json', '/kit/Tool/1.9.0', '/kit/Tool/1.9.0/Package.swift'].map((path) => ({
    method: 'GET',
    path,
  })),
  broken: [
    put('1.0.0', { metadata: '{}' }),
    put('1.0.0', { archive, metadata: 'null' }),
    put('1.0.0', { archive, metadata: '{' }),
    put('1.0.0', { archive, metadata: '{"keywords":"one"}' }),
    put('none', { archive }),
    put('1.0.0', { archive }, '/-kit/Tool'),
    put('1.0.0', { archive }, `/${'a'.repeat(40)}/Tool`),
    put('1.0.0', { archive }, '/kit/To.ol'),
    put('1.0.0', { archive: zip({ 'a.swift': '' }) }),
    put('1.0.0', { archive: zip({ 'a/b/Package.swift': manifest }) }),
    put('1.0.0', { archive: zip({ 'Package.swift': 'import PackageDescription\n' }) }),
    { ...put('1.0.0', { archive }), headers: { ...publication({ archive }).headers, accept: 'text/html' } },
  ],
});
