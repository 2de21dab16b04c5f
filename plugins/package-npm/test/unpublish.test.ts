import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { publishBody } from './publish-body.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const at = '/api/packages/ada/npm';
const tarball = (version: string) => `/@kit%2Fhello/-/${version}/hello-${version}.tgz`;

/** As libnpmpublish does it: the document without the version, then the tarball. */
describe('U2: unpublishing a version of an npm package', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-npm', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());
  beforeEach(async () => {
    await send('DELETE', '/@kit%2fhello/-rev/1');
    for (const [version, tag] of [
      ['1.0.0', 'old'],
      ['1.1.0', 'latest'],
      ['2.0.0-beta.1', 'next'],
    ] as const)
      await done(
        'PUT',
        '/@kit%2fhello',
        publishBody(version, (body) => (body['dist-tags'] = { [tag]: version })),
      );
  });

  const send = (method: string, path: string, payload?: object) =>
    host.inject({
      method: method as 'GET',
      url: at + path,
      payload,
      headers: { authorization: ada.authorization, 'content-type': 'application/json' },
    });
  const done = async (...request: Parameters<typeof send>) => {
    const answer = await send(...request);
    expect(answer.statusCode, answer.payload).to.be.within(200, 201);
  };
  const read = async () => (await send('GET', '/@kit%2fhello?write=true')).json;
  const state = async () => {
    const { versions, 'dist-tags': tags } = await read();
    return [Object.keys(versions), tags];
  };
  /** The client moves `latest` to the highest version there is, betas too. */
  const without = (document: Awaited<ReturnType<typeof read>>, ...gone: string[]) => {
    const { versions, 'dist-tags': tags, ...rest } = structuredClone(document);
    for (const version of gone) {
      delete versions[version];
      for (const tag of Object.keys(tags)) if (tags[tag] === version) delete tags[tag];
    }
    return { ...rest, versions, 'dist-tags': { latest: '2.0.0-beta.1', ...tags } };
  };
  const untouched = [['1.0.0', '1.1.0', '2.0.0-beta.1'], { old: '1.0.0', latest: '1.1.0', next: '2.0.0-beta.1' }];

  it('removes what the document leaves out, and moves latest to the highest release, not to a beta', async () => {
    const document = await read();
    await done('PUT', `/@kit%2fhello/-rev/${document._rev}`, without(document, '1.1.0'));
    const left = [['1.0.0', '2.0.0-beta.1'], { old: '1.0.0', latest: '1.0.0', next: '2.0.0-beta.1' }];
    expect(await state()).to.equal(left);
    expect((await send('GET', tarball('1.1.0'))).statusCode).to.equal(404);
    // the second step of the client, by the document that it reads in between
    const { _rev: revision } = await read();
    await done('DELETE', `${tarball('1.1.0')}/-rev/${revision}`);
    await done('DELETE', `${at}${tarball('1.1.0')}/-rev/${revision}`);
    expect(await state()).to.equal(left);
  });

  it('takes any revision that is none of ours, and several versions at once', async () => {
    await done('PUT', '/@kit%2fhello/-rev/undefined', without(await read(), '1.0.0', '1.1.0'));
    expect(await state()).to.equal([['2.0.0-beta.1'], { latest: '2.0.0-beta.1', next: '2.0.0-beta.1' }]);
    await done('PUT', '/@kit%2fhello/-rev/1', without(await read(), '2.0.0-beta.1'));
    expect((await send('GET', '/@kit%2fhello')).statusCode).to.equal(404);
  });

  it('leaves latest where it is when another version goes, with the tags that the document names', async () => {
    const document = await read();
    const { latest, next } = document['dist-tags'];
    await done('PUT', `/@kit%2fhello/-rev/${document._rev}`, {
      ...without(document, '1.0.0'),
      'dist-tags': { latest, beta: next },
    });
    expect(await state()).to.equal([['1.1.0', '2.0.0-beta.1'], { latest: '1.1.0', beta: '2.0.0-beta.1' }]);
  });

  it('removes a tag that is named like a member of every object, and never latest', async () => {
    for (const tag of ['constructor', '__proto__'])
      await done('PUT', `/-/package/@kit%2fhello/dist-tags/${tag}`, '"1.0.0"' as unknown as object);
    await done('PUT', '/@kit%2fhello/-rev/1', { 'dist-tags': {} });
    expect(await state()).to.equal([untouched[0], { latest: '1.1.0' }]);
  });

  it('changes nothing by a document that is older than the last change, and says so', async () => {
    const document = await read();
    await done('PUT', '/-/package/@kit%2fhello/dist-tags/rc', '"2.0.0-beta.1"' as unknown as object);
    const late = await send('PUT', `/@kit%2fhello/-rev/${document._rev}`, without(document, '1.1.0'));
    expect([late.statusCode, late.json.error]).to.equal([409, 'The package was changed in the meantime.']);
    expect(await state()).to.equal([untouched[0], { ...(untouched[1] as object), rc: '2.0.0-beta.1' }]);
  });

  it('changes nothing where a tag is refused', async () => {
    const document = without(await read(), '1.0.0');
    document['dist-tags']['v1'] = '1.1.0';
    expect((await send('PUT', '/@kit%2fhello/-rev/1', document)).statusCode).to.equal(400);
    expect(await state()).to.equal(untouched);
  });

  it('keeps all versions where the document names none of them or the client may only read', async () => {
    await done('PUT', '/@kit%2fhello/-rev/1', { 'dist-tags': untouched[1] });
    const eve = await makeUser(host, 'eve');
    const answer = await host.inject({
      method: 'PUT',
      url: `${at}/@kit%2fhello/-rev/1`,
      payload: without(await read(), '1.0.0'),
      headers: { authorization: eve.authorization },
    });
    expect(answer.statusCode).to.equal(401);
    expect(await state()).to.equal(untouched);
  });

  it('deletes a tarball also where the path of the registry, or its end, stands twice in the address', async () => {
    await done('DELETE', `${at}${tarball('1.1.0')}/-rev/1`);
    expect(await state()).to.equal([
      ['1.0.0', '2.0.0-beta.1'],
      { old: '1.0.0', latest: '1.0.0', next: '2.0.0-beta.1' },
    ]);
    // cut off: as many characters as the path of another default registry has
    await done('DELETE', `/es/ada/npm/@kit/hello/-/2.0.0-beta.1/hello-2.0.0-beta.1.tgz/-rev/1`);
    expect((await state())[0]).to.equal(['1.0.0']);
    for (const path of [`/api/packages/eve/npm${tarball('1.0.0')}/-rev/1`, `${tarball('3.0.0')}/-rev/1`])
      expect((await send('DELETE', path)).statusCode).to.equal(404);
    expect((await state())[0]).to.equal(['1.0.0']);
  });
});
