import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileZips, zip } from '@mortise/packages/testing';
import { nupkg, nuspec } from './nupkgs.js';

export const lab = Lab.script();

const push = (payload: Buffer) => ({
  method: 'PUT',
  path: '/',
  headers: { 'content-type': 'application/octet-stream' },
  payload,
});

describePackageFormat(lab, {
  plugin: 'package-nuget',
  key: 'nuget',
  name: 'Kit.Tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => push(nupkg('Kit.Tool', version)),
  download: (version) => ({ method: 'GET', path: `/package/kit.tool/${version}/kit.tool.${version}.nupkg` }),
  content: (version) => nupkg('Kit.Tool', version),
  lookUp: {
    request: { method: 'GET', path: '/package/kit.tool/index.json' },
    versions: ({ payload }) => (JSON.parse(payload) as { versions: string[] }).versions,
  },
  remove: (version) => ({ method: 'DELETE', path: `/Kit.Tool/${version}` }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-rc.${n}`),
  garbage: push,
  hostile: () => [
    ...hostileZips('Kit.Tool.nuspec').map(push),
    push(nupkg('Kit.Tool', '1.0.0', '', { '../../evil': 'x' })),
    push(nupkg('Kit.Tool', '1.0.0', '', { 'lib\\evil.dll': 'x' })),
    push(zip({ 'a.nuspec': `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1000)}">]><package>&b;</package>` })),
    push(zip({ 'a.nuspec': '<a>'.repeat(100_000) })),
    push(nupkg('Kit.Tool', '1.0.0', `<dependencies>${'<dependency id="A"/>'.repeat(40_000)}</dependencies>`)),
  ],
  indexes: [
    '/query?q=kit',
    '/registration/kit.tool/index.json',
    '/registration/kit.tool/1.9.0.json',
    '/Packages()',
    "/Packages()?$filter=tolower(Id)%20eq%20'kit.tool'",
    '/Packages()/$count',
    '/Search()?searchTerm=%27kit%27',
    "/FindPackagesById()?id='Kit.Tool'",
    "/Packages(Id='Kit.Tool',Version='1.9.0')",
  ].map((path) => ({ method: 'GET', path })),
  broken: [
    push(zip({ 'a.txt': '' })),
    push(zip({ 'sub/a.nuspec': nuspec('Kit.Tool', '1.0.0') })),
    push(zip({ 'a.nuspec': nuspec('Kit.Tool', '1.0.0'), 'b.nuspec': nuspec('Kit.Tool', '1.0.0') })),
    push(nupkg('Kit Tool', '1.0.0')),
    push(nupkg('Kit.Tool', 'one')),
    push(nupkg('Kit.Tool', '1.0.0.0.0')),
    push(nupkg('Kit.Tool', '1.0.0-')),
    push(zip({ 'a.nuspec': '<package>' })),
    { ...push(nupkg('Kit.Tool', '1.0.0')), path: '/symbolpackage' },
  ],
});
