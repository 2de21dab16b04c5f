import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { bzip2Bomb, hostileTarballs, hostileZips, tarHead, tgz, zip } from '@mortise/packages/testing';

export const lab = Lab.script();

const put = (payload: Buffer) => ({
  method: 'PUT',
  path: '',
  headers: { 'content-type': 'application/octet-stream' },
  payload,
});
const json = (version: string, more: object = {}) => JSON.stringify({ name: 'kit/tool', version, ...more });
const archive = (version: string, more: object = {}) =>
  zip({ 'composer.json': json(version, more), 'src/a.php': '<?php\n' });
const wrong = (more: object) => put(archive('1.0.0', more));

describePackageFormat(lab, {
  plugin: 'package-composer',
  key: 'composer',
  name: 'kit/tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => put(archive(version)),
  download: (version) => ({ method: 'GET', path: `/files/kit%2Ftool/${version}/kit-tool.${version}.zip` }),
  content: archive,
  lookUp: {
    request: { method: 'GET', path: '/p2/kit/tool.json' },
    versions: ({ payload }) =>
      (JSON.parse(payload) as { packages: Record<string, { version: string }[]> }).packages['kit/tool']!.map(
        (one) => one.version,
      ),
  },
  remove: (version) => ({ method: 'DELETE', path: `/kit/tool/${version}` }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-RC${n}`),
  garbage: put,
  hostile: async () => [
    put(await bzip2Bomb(tarHead('composer.json', 2 ** 31), 32)),
    ...hostileZips('composer.json').map(put),
    ...hostileTarballs('composer.json').map(put),
    put(zip({ 'composer.json': json('1.0.0'), '../evil': 'x' })),
    put(tgz({ 'composer.json': json('1.0.0'), '/etc/evil': 'x' })),
    put(zip({ 'composer.json': `{"name":"kit/tool","version":"1.0.0","extra":${'['.repeat(200_000)}` })),
    wrong({ description: 'x'.repeat(400_000) }),
  ],
  indexes: ['/packages.json', '/list.json', '/search.json?q=kit', '/p2/kit/tool.json', '/p2/kit/tool~dev.json'].map(
    (path) => ({ method: 'GET', path }),
  ),
  broken: [
    put(zip({ 'a/b/composer.json': json('1.0.0') })),
    put(zip({ 'composer.json': '{' })),
    put(zip({ 'composer.json': '[]' })),
    put(archive('one')),
    put(archive('dev-main')),
    put(zip({ 'composer.json': JSON.stringify({ name: 'kit/tool' }) })),
    wrong({ name: 'tool' }),
    wrong({ name: 'Kit/Tool' }),
    wrong({ require: { php: 8 } }),
    wrong({ authors: 'Ada' }),
  ],
});
