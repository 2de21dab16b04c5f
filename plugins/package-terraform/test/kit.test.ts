import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, hostileZips, tgz, zip } from '@mortise/packages/testing';

export const lab = Lab.script();

const put = (path: string, payload: Buffer) => ({
  method: 'PUT',
  path,
  headers: { 'content-type': 'application/octet-stream' },
  payload,
});
const module = (version: string) => tgz({ 'main.tf': `# ${version}\n`, 'modules/inner/main.tf': '' });
const publish = (payload: Buffer, version = '1.0.0') => put(`/modules/kit/none/${version}`, payload);
const provider = (payload: Buffer) => put('/providers/kit/1.0.0/linux/amd64', payload);

/** Modules; states, which are never public, have tests of their own. */
describePackageFormat(lab, {
  plugin: 'package-terraform',
  key: 'terraform',
  name: 'modules/kit/none',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => publish(module(version), version),
  download: (version) => ({ method: 'GET', path: `/modules/kit/none/${version}/kit-none-${version}.tar.gz` }),
  content: module,
  lookUp: {
    request: { method: 'GET', path: '/modules/kit/none/versions' },
    versions: ({ payload }) =>
      (JSON.parse(payload) as { modules: { versions: { version: string }[] }[] }).modules[0]!.versions.map(
        (one) => one.version,
      ),
  },
  remove: (version) => ({ method: 'DELETE', path: `/modules/kit/none/${version}` }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-rc.${n}`),
  garbage: (bytes) => publish(bytes),
  hostile: () => [
    ...hostileTarballs('main.tf').map((data) => publish(data)),
    publish(hostileZips('main.tf')[1]!),
    publish(hostileZips('main.tf')[2]!),
    publish(tgz({ 'main.tf': '', '../evil.tf': 'x' })),
    publish(tgz([{ name: 'main.tf' }, { name: 'link', type: '2' }])),
    ...hostileZips('provider').map(provider),
  ],
  indexes: [{ method: 'GET', path: '/modules/kit/none/versions' }],
  broken: [
    publish(tgz({ 'README.md': '' })),
    publish(module('1.0'), '1.0'),
    put('/modules/ki%20t/none/1.0.0', module('1')),
    provider(zip({ 'README.md': '' })),
    provider(Buffer.from('none')),
    put('/providers/kit/1.0.0/Linux%2f/amd64', zip({ 'terraform-provider-kit': 'x' })),
    put('/providers/kit/1.0.0/linux/amd64?protocols=five', zip({ 'terraform-provider-kit': 'x' })),
  ],
});
