import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { hostileTarballs, hostileZips, tgz, zip } from '@mortise/packages/testing';

export const lab = Lab.script();

const text = (version: string, more = '') => `Package: toolr\nVersion: ${version}\nTitle: A tool\n${more}`;
const source = (version: string) => tgz({ 'toolr/DESCRIPTION': text(version) });
const put = (payload: Buffer, path = '/src') => ({ method: 'PUT', path, payload });
const described = (description: string) => put(tgz({ 'toolr/DESCRIPTION': description }));

describePackageFormat(lab, {
  plugin: 'package-cran',
  key: 'cran',
  name: 'toolr',
  versions: ['1.9-1', '1.10'],
  publish: (version) => put(source(version)),
  download: (version) => ({ method: 'GET', path: `/src/contrib/toolr_${version}.tar.gz` }),
  content: source,
  many: Array.from({ length: 20 }, (_, n) => `0.${n}`),
  garbage: put,
  hostile: () => [
    ...hostileTarballs('toolr/DESCRIPTION').map((data) => put(data)),
    put(tgz({ 'toolr/DESCRIPTION': text('1.0'), '../evil': 'x' })),
    put(zip({ 'toolr/DESCRIPTION': text('1.0'), '/etc/evil': 'x' }), '/bin?platform=windows&rversion=4.3'),
    ...hostileZips('toolr/DESCRIPTION').map((data) => put(data, '/bin?platform=windows&rversion=4.3')),
  ],
  indexes: [
    { method: 'GET', path: '/src/contrib/PACKAGES' },
    { method: 'GET', path: '/src/contrib/PACKAGES.gz' },
  ],
  broken: [
    described('Version: 1.0\n'),
    described('Package: toolr\n'),
    described(`${text('1.0')}\nDescription: a\n${' b\n'.repeat(20_000)}`),
    described(text('1')),
    described(text('1.0beta')),
    described('Package: tool-r\nVersion: 1.0\n'),
    described('Package: t\nVersion: 1.0\n'),
    put(tgz({ 'a/b/DESCRIPTION': text('1.0') })),
    put(zip({ 'toolr/DESCRIPTION': text('1.0') }), '/bin?platform=windows'),
    put(zip({ 'toolr/DESCRIPTION': text('1.0') }), '/bin?rversion=4.3'),
    put(zip({ 'toolr/DESCRIPTION': text('1.0') }), '/bin?rversion=4.3&platform=win%7Cdows'),
  ],
});
