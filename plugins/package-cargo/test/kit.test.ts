import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, tgz } from '@mortise/packages/testing';
import { crate, frame } from './frame.js';

export const lab = Lab.script();

const put = (payload: Buffer) => ({ method: 'PUT', path: '/api/v1/crates/new', payload });
const publish = (fields: object, data?: Buffer) => put(frame({ name: 'kit-crate', vers: '1.0.0', ...fields }, data));

describePackageFormat(lab, {
  plugin: 'package-cargo',
  key: 'cargo',
  name: 'kit-crate',
  versions: ['1.9.0', '1.10.0'],
  publish: (vers) => publish({ vers }, crate(vers)),
  download: (version) => ({ method: 'GET', path: `/api/v1/crates/kit-crate/${version}/download` }),
  content: crate,
  lookUp: {
    request: { method: 'GET', path: '/ki/t-/kit-crate' },
    versions: ({ payload }) =>
      payload
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { vers: string }).vers),
  },
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0-rc.${n}`),
  garbage: (bytes) => publish({}, bytes),
  hostile: () => [
    ...hostileTarballs('a/Cargo.toml').map((data) => publish({}, data)),
    publish({}, tgz({ 'a/Cargo.toml': '', '../../evil': 'x' })),
    publish({}, tgz([{ name: 'a/Cargo.toml' }, { name: 'a/link', type: '2' }])),
  ],
  indexes: [
    { method: 'GET', path: '/config.json' },
    { method: 'GET', path: '/ki/t-/kit-crate' },
    { method: 'GET', path: '/api/v1/crates?q=kit' },
  ],
  broken: [
    put(Buffer.from('x')),
    put(Buffer.from([255, 255, 255, 255, 1])),
    put(frame('{', crate('1'))),
    put(frame({ name: 'kit-crate', vers: '1.0.0' }).subarray(0, -3)),
    put(Buffer.concat([frame({ name: 'kit-crate', vers: '1.0.0' }), Buffer.from('more')])),
    publish({ name: '1crate' }),
    publish({ name: 'cr.ate' }),
    publish({ vers: '1.0' }),
    publish({ vers: 'one' }),
    publish({ vers: `1.0.0-${'a'.repeat(200)}` }),
    publish({ deps: [{ name: 7 }] }),
    publish({}, tgz({ 'a/src/lib.rs': '' })),
  ],
});
