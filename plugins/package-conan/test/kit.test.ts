import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();

const recipe = (version: string) =>
  `from conan import ConanFile\n\n\nclass Kit(ConanFile):\n    name = "kit_tool"\n    version = "${version}"\n    license = "MIT"\n`;
const at = (version: string) => `/v2/conans/kit_tool/${version}/_/_`;
const put = (path: string, payload = recipe('1.0')) => ({
  method: 'PUT',
  path,
  headers: { 'content-type': 'application/octet-stream' },
  payload,
});
const file = 'revisions/r1/files/conanfile.py';

/** Files of recipes and binaries are not opened, whatever they hold: there is nothing to be hostile to. */
describePackageFormat(lab, {
  plugin: 'package-conan',
  key: 'conan',
  name: 'kit_tool',
  versions: ['1.9.0', '1.10.0'],
  publish: (version) => put(`${at(version)}/${file}`, recipe(version)),
  download: (version) => ({ method: 'GET', path: `${at(version)}/${file}` }),
  content: (version) => Buffer.from(recipe(version)),
  mayRepublish: true,
  lookUp: {
    request: { method: 'GET', path: '/v2/conans/search?q=kit_tool' },
    versions: ({ payload }) =>
      (JSON.parse(payload) as { results: string[] }).results.map((one) => one.slice('kit_tool/'.length)),
  },
  remove: (version) => ({ method: 'DELETE', path: at(version) }),
  many: Array.from({ length: 12 }, (_, n) => `2.${n}.0`),
  indexes: [
    `/v2/conans/search?q=${'*a'.repeat(200)}`,
    `${at('1.9.0')}/latest`,
    `${at('1.9.0')}/revisions`,
    `${at('1.9.0')}/search`,
    `${at('1.9.0')}/revisions/r1/files`,
    '/v1/conans/kit_tool/1.9.0/_/_',
    '/v1/conans/kit_tool/1.9.0/_/_/download_urls',
  ].map((path) => ({ method: 'GET', path })),
  broken: [
    put(`${at('1.0')}/revisions/r1/files/other.txt`),
    put(`${at('1.0')}/revisions/r1/packages/p1/revisions/b1/files/conanfile.py`),
    put(`${at('1.0')}/revisions/r-1/files/conanfile.py`),
    put(`/v2/conans/k/1.0/_/_/${file}`),
    put(`/v2/conans/kit_tool/1.0/ada/_/${file}`),
    put(`/v2/conans/kit_tool/%23/_/_/${file}`),
    put(
      `/v2/conans/kit_tool/1.0/${'u'.repeat(51)}/${'c'.repeat(51)}/revisions/${'r'.repeat(51)}/packages/${'p'.repeat(51)}/revisions/${'b'.repeat(51)}/files/conaninfo.txt`,
    ),
    { method: 'POST', path: '/v1/conans/kit_tool/1.0/_/_/upload_urls', payload: { 'other.txt': 1 } },
    { method: 'POST', path: '/v1/conans/kit_tool/1.0/_/_/upload_urls', payload: [] },
  ],
});
