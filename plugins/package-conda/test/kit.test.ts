import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { bzip2Bomb, hostileZips, hostileZstd, repeatedBzip2, tar, tarHead } from '@mortise/packages/testing';
import { around, conda, indexOf } from './packages.js';

export const lab = Lab.script();

const put = (payload: Buffer, path = '/tool-1.0-py0_0.conda') => ({ method: 'PUT', path, payload });
const broken = (fields: Readonly<Record<string, unknown>>) => put(conda(fields));
const older = (payload: Buffer) => put(payload, '/tool-1.0-py0_0.tar.bz2');

describePackageFormat(lab, {
  plugin: 'package-conda',
  key: 'conda',
  name: 'tool',
  versions: ['1.9', '1!1.0'],
  publish: (version) => put(conda({ version })),
  download: (version) => ({ method: 'GET', path: `/linux-64/tool-${version}-py0_0.conda` }),
  content: (version) => conda({ version }),
  lookUp: {
    request: { method: 'GET', path: '/linux-64/repodata.json' },
    versions: ({ payload }) =>
      Object.values(
        (JSON.parse(payload) as { 'packages.conda': Record<string, { version: string }> })['packages.conda'],
      ).map(({ version }) => version),
  },
  many: Array.from({ length: 20 }, (_, n) => `2.${n}`),
  garbage: put,
  hostile: async () => [
    ...hostileZips('info-tool.tar.zst').map((data) => put(data)),
    ...hostileZstd(tarHead('info/index.json', 2 ** 31)).map((data) => put(around(data))),
    older(await bzip2Bomb(tarHead('info/index.json', 2 ** 31), 32)),
    older(await repeatedBzip2(Buffer.alloc(1001 * 512, tarHead('a', 0)), 100)),
  ],
  indexes: [
    { method: 'GET', path: '/linux-64/repodata.json' },
    { method: 'GET', path: '/linux-64/current_repodata.json' },
    { method: 'GET', path: '/linux-64/repodata.json.bz2' },
  ],
  broken: [
    broken({ name: 'Tool' }),
    broken({ name: 'to!ol' }),
    broken({ name: undefined }),
    broken({ name: ['tool'] }),
    broken({ version: '1.0-1' }),
    broken({ version: '' }),
    broken({ build: '../0' }),
    broken({ subdir: 'linux|64' }),
    broken({ subdir: '../x' }),
    broken({ depends: Array.from({ length: 3000 }, () => 'a') }),
    put(conda(), '/tool-1.0.zip'),
    put(conda(), '/fo%7Crge/tool-1.0-py0_0.conda'),
    put(conda(), '/tool-1.0-py0_0.tar.bz2'),
    put(around(tar({ 'info/index.json': indexOf() }))),
    older(Buffer.from('BZh9 and no more')),
  ],
});
