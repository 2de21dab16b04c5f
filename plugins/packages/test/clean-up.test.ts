import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, jobs } from '@mortise/plugin-sdk';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { startScene, type Scene } from '@mortise/repositories/testing';
import { cleanUpPackages } from '../contract/packages.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('clean-up rules of packages', () => {
  let scene: Scene;
  const url = '/ada/-/package-rules';
  const day = 86_400_000;
  const rule = (more: object = {}) => ({
    action: 'save',
    type: 'generic',
    keep_count: '1',
    keep_pattern: '',
    remove_days: '7',
    remove_pattern: '',
    ...more,
  });
  const listed = async (owner: string, name: string) => {
    const { json } = await scene.root.inject(`/api/v1/packages/${owner}/generic/${name}`);
    return (json as { version: string }[]).map(({ version }) => version);
  };
  const preview = async (of = scene.ada, at = url) => {
    const { payload } = await of.inject(`${at}?type=generic`);
    return [...payload.matchAll(/packages\/generic\/([^"]+)"/g)].map(([, path]) => path);
  };
  const save = async (more?: object) => {
    const { statusCode, headers } = await submitForm(scene.ada, url, rule(more));
    expect([statusCode, headers.location]).to.equal([303, `${url}?type=generic&saved=1`]);
  };
  const night = async () => {
    await scene.host.services.get(jobs).enqueue(cleanUpPackages, {});
    await scene.host.settle();
  };

  before(async () => {
    scene = await startScene({ plugins: ['packages', 'package-generic'] });
    const { ada, ben, host } = scene;
    for (const [client, name] of [
      [ada, 'ada'],
      [ben, 'ben'],
    ] as const)
      for (const path of ['peg/1.0', 'peg/1.1', 'peg/2.0-rc', 'peg/2.0', 'peg/3.0', 'dowel/1.0', 'dowel/1.1']) {
        const put = await client.inject({
          method: 'PUT',
          url: `/api/packages/${name}/generic/${path}/file`,
          headers: { 'content-type': 'application/octet-stream' },
          payload: path,
        });
        expect(put.statusCode).to.equal(201);
      }
    const db = host.services.get(database);
    // all but one of them are old
    await db.write(() =>
      db
        .knex()('package_version')
        .whereNot('version', '2.0')
        .update({ created_at: Date.now() - 10 * day }),
    );
  });
  after(() => scene.host.close());

  it('are set by the owner, and refused where they make no sense', async () => {
    const { ada, ben, root } = scene;
    expect((await ben.inject(url)).statusCode).to.equal(403);
    expect((await submitForm(ben, url, rule())).statusCode).to.equal(403);
    expect((await root.inject(url)).statusCode).to.equal(200);
    for (const [field, bad] of Object.entries({
      type: 'nothing',
      keep_count: '3',
      remove_days: '-7',
      keep_pattern: '(',
      remove_pattern: 'a)|(b',
    })) {
      const { statusCode, payload } = await submitForm(ada, url, rule({ [field]: bad }));
      expect([statusCode, payload.includes(`id="field-${field}-error"`)], field).to.equal([422, true]);
    }
    expect((await ada.inject(url)).payload).to.include('No rules');
    expect((await ada.inject('/ada/-/packages')).payload).to.include(`href="${url}"`);
    expect((await ben.inject('/ada/-/packages')).payload).to.not.include(url);
  });

  it('show what they would remove: not the newest, the young, nor what a pattern keeps', async () => {
    await save();
    expect(await preview()).to.equal(['peg/2.0-rc', 'peg/1.1', 'peg/1.0', 'dowel/1.0']);
    await save({ remove_days: '0' });
    expect(await preview()).to.equal(['peg/2.0', 'peg/2.0-rc', 'peg/1.1', 'peg/1.0', 'dowel/1.0']);
    await save({ keep_count: '0' });
    expect(await preview()).to.include(['peg/3.0', 'dowel/1.1']);
    // a pattern is compared with the whole version, each way of it
    await save({ keep_pattern: '1|.*-RC' });
    expect(await preview()).to.equal(['peg/1.1', 'peg/1.0', 'dowel/1.0']);
    await save({ remove_pattern: '1[.]0|3' });
    expect(await preview()).to.equal(['peg/1.0', 'dowel/1.0']);
    await save({ remove_pattern: 'peg/1.*', match_full_name: 'true' });
    expect(await preview()).to.equal(['peg/1.1', 'peg/1.0']);
    expect(await preview(scene.ben, '/ben/-/package-rules')).to.equal([]);
  });

  it('remove every night what the preview shows, of their owner alone, once they are on', async () => {
    await save({ remove_pattern: '[12].*' });
    const shown = await preview();
    await night();
    expect(await listed('ada', 'peg')).to.have.length(5);
    await save({ remove_pattern: '[12].*', is_enabled: 'true' });
    expect(await preview()).to.equal(shown);
    await night();
    expect(await listed('ada', 'peg')).to.equal(['3.0', '2.0']);
    expect(await listed('ada', 'dowel')).to.equal(['1.1']);
    expect(await listed('ben', 'peg')).to.have.length(5);
    expect(await preview()).to.equal([]);
    const gone = await submitForm(scene.ada, url, { action: 'delete', type: 'generic' });
    expect([gone.statusCode, gone.headers.location]).to.equal([303, `${url}?deleted=Generic`]);
    expect((await scene.ada.inject(url)).payload).to.include('No rules');
  });
});
