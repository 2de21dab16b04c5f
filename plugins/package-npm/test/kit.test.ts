import * as Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import { bytes, publishBody } from './publish-body.js';

export const lab = Lab.script();

const put = (payload: object, path = '/@kit%2fhello') => ({
  method: 'PUT',
  path,
  payload,
  headers: { 'content-type': 'application/json' },
});

describePackageFormat(lab, {
  plugin: 'package-npm',
  key: 'npm',
  name: '@kit/hello',
  versions: ['1.0.0', '1.1.0'],
  publish: (version) => put(publishBody(version)),
  download: (version) => ({ method: 'GET', path: `/@kit%2fhello/-/${version}/hello-${version}.tgz` }),
  content: bytes,
  indexes: [
    { method: 'GET', path: '/@kit%2fhello' },
    { method: 'GET', path: '/@kit/hello' },
    { method: 'GET', path: '/-/v1/search?text=hello' },
  ],
  broken: [
    put({}),
    put([] as object),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].dist.integrity = 'sha512-AAAA'))),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].dist.integrity = 'md5-'))),
    put(publishBody('1.0.0', (body) => delete body._attachments)),
    put(publishBody('1.0.0', (body) => (body.versions['1.0.0'].version = '1.0'))),
    put(publishBody('1.0.0', (body) => (body['dist-tags'] = { v1: '1.0.0' }))),
    put(publishBody('1.0.0'), '/other'),
    put(
      publishBody('1.0.0', (body) => (body.versions['1.0.0'].name = '@kit/_x')),
      '/@kit%2f_x',
    ),
  ],
});
