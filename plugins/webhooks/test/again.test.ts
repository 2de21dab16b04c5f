import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { readCertificates } from '../services/certificates.js';
import { DeliveryKit, hooksApi } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('what hooks send again, and what they would send', () => {
  let kit: DeliveryKit;
  before(async () => {
    kit = await DeliveryKit.start();
    const payload = { name: 'begun', auto_init: true, default_branch: 'main' };
    await kit.ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload });
    await kit.host.settle();
  });
  after(() => kit?.close());
  beforeEach(() => kit.reset());
  const post = (path: string, payload: object) =>
    kit.ada.inject({ method: 'POST', url: `${hooksApi}${path}`, payload });

  it('deliveries of a time range, those that failed or all of them', async () => {
    const { id } = await kit.make();
    kit.answers = [{ status: 404 }, { status: 200 }, { status: 404 }];
    for (let n = 0; n < 3; n++) await kit.greet();
    await kit.host.settle();
    const rows = (await kit.host.database.knex()('hook_delivery').where('hook_id', id).orderBy('id')) as {
      id: number;
      created_at: number;
    }[];
    const hour = 3_600_000;
    const from = Date.now() - 10 * hour;
    await kit.host.database.write(async () => {
      for (const [at, row] of rows.entries())
        await kit.host.database
          .knex()('hook_delivery')
          .where('id', row.id)
          .update({ created_at: from + at * hour });
    });
    const time = (hours: number) => new Date(from + hours * hour).toISOString();
    const again = async (since: number, before: number, more = {}) => {
      kit.received.length = 0;
      const answer = await post(`/${id}/deliveries/redeliver`, { since: time(since), before: time(before), ...more });
      await kit.host.settle();
      return [answer.statusCode, answer.json.count, kit.received.length];
    };
    expect(await again(0, 2)).to.equal([202, 2, 2]);
    expect(await again(0, 2, { all: true })).to.equal([202, 3, 3]);
    expect(await again(0.5, 1.5)).to.equal([202, 0, 0]);
    expect(await again(0, 0)).to.equal([202, 1, 1]);
    // more than are stored at once: all of them, once each
    const [failed] = (await kit.host.database.knex()('hook_delivery').where('id', rows[0]!.id)) as object[];
    const { id: _id, ...copied } = { id: 0, ...failed };
    await kit.host.database.write(async () => {
      for (let n = 0; n < 45; n++)
        await kit.host.database
          .knex()('hook_delivery')
          .insert({ ...copied, uuid: `copy-${n}`, created_at: from - hour });
    });
    expect(await again(-1.5, -0.5)).to.equal([202, 45, 45]);
    for (const body of [{ since: time(2), before: time(1) }, { since: 'soon', before: time(1) }, { since: time(1) }])
      expect((await post(`/${id}/deliveries/redeliver`, body)).statusCode).to.equal(422);
    const page = `/ada/tool/settings/hooks/${id}`;
    expect((await kit.ada.inject(`${page}/deliveries`)).payload).to.include('Send deliveries of a time range again');
    const sent = await submitForm(kit.ada, `${page}/redeliver`, {
      since: time(0).slice(0, 16),
      before: time(3).slice(0, 16),
      all: 'true',
    });
    expect(sent.headers.location).to.match(/\?again=\d$/);
    expect((await kit.ada.inject(String(sent.headers.location))).payload).to.match(/\d deliver\w+ \w+ queued/);
    expect((await submitForm(kit.ada, `${page}/redeliver`, { since: 'x', before: 'y' })).statusCode).to.equal(422);
    await kit.drop(id);
  });

  it('a preview shows the request of a push, stores nothing, and tells no secret', async () => {
    const config = { url: kit.address, content_type: 'json', room: 'hall', secret: 'hush' };
    const option = { type: 'plain', authorization_header: 'Bearer zqxv', config };
    const begun = '/api/v1/repos/ada/begun/hooks';
    const preview = (payload: object) => kit.ada.inject({ method: 'POST', url: `${begun}/preview`, payload });
    const { statusCode, json, payload } = await preview(option);
    expect(statusCode).to.equal(200);
    expect([json.method, json.url, json.headers['x-room'], json.headers.Authorization]).to.equal([
      'POST',
      kit.address,
      'hall',
      '******',
    ]);
    expect(JSON.parse(json.body as string)).to.include({ event: 'push' });
    expect(payload).to.not.include('hush').and.not.include('zqxv');
    expect((await preview({ type: 'plain', config: { ...config, url: 'x' } })).statusCode).to.equal(422);
    expect((await preview({ type: 'bare', config })).statusCode).to.equal(404);
    // without a commit there is nothing to show
    expect((await post('/preview', option)).statusCode).to.equal(404);
    const form = { url: kit.address, setting_room: 'hall', content_type: 'json', preview: '1' };
    const shown = await submitForm(kit.ada, '/ada/begun/settings/hooks/new?type=plain', form);
    expect(shown.statusCode).to.equal(200);
    expect(shown.payload).to.include('What a push would send').and.include('x-room: hall');
    const empty = await submitForm(kit.ada, '/ada/begun/settings/hooks/new?type=bare', form);
    expect(empty.payload).to.include('This kind sends nothing for a push.');
    expect((await kit.ada.inject(begun)).json).to.equal([]);
    const made = await kit.ada.inject({ method: 'POST', url: begun, payload: option });
    const own = `/ada/begun/settings/hooks/${String(made.json.id)}`;
    const edited = await submitForm(kit.ada, own, { ...form, setting_room: 'cellar' });
    expect(edited.payload).to.include('x-room: cellar');
    expect((await kit.ada.inject(begun)).json[0].config.room).to.equal('hall');
    expect(kit.received).to.equal([]);
  });

  it('LIM-03: the signed time of a delivery is that of sending, also when it is sent again two hours later', async () => {
    const config = { url: kit.address, content_type: 'json', secret: 'bell', signature: 'standard' };
    const made = await post('', { type: 'signing', active: true, events: ['greeting'], config });
    await kit.greet();
    await kit.host.settle();
    const hour = 3_600_000;
    const { database } = kit.host;
    const old = { created_at: Date.now() - 2 * hour };
    await database.write(() => database.knex()('hook_delivery').where('hook_id', made.json.id).update(old));
    kit.received.length = 0;
    const range = { since: new Date(Date.now() - 3 * hour), before: new Date(Date.now() - hour), all: true };
    const again = await post(`/${String(made.json.id)}/deliveries/redeliver`, range);
    expect([again.statusCode, again.json.count]).to.equal([202, 1]);
    await kit.host.settle();
    const [{ headers }] = kit.received as [(typeof kit.received)[number]];
    expect(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']))).to.be.below(60);
    await kit.ada.inject({ method: 'DELETE', url: `${hooksApi}/${String(made.json.id)}` });
  });

  it('a secret that was replaced counts for a while, where that is asked for', async () => {
    const config = { url: kit.address, content_type: 'json', secret: 'old', signature: 'standard' };
    const made = await post('', { type: 'signing', active: true, events: ['greeting'], config });
    const id = made.json.id as number;
    const signedBy = async () => {
      kit.received.length = 0;
      await kit.greet();
      await kit.host.settle();
      const [{ headers, body }] = kit.received as [(typeof kit.received)[number]];
      const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      const by = (secret: string) => `v1,${createHmac('sha256', secret).update(text).digest('base64')}`;
      return String(headers['webhook-signature'])
        .split(' ')
        .map((one) => ['old', 'new', 'third'].find((secret) => by(secret) === one));
    };
    const change = (more: object) =>
      kit.ada.inject({
        method: 'PATCH',
        url: `${hooksApi}/${id}`,
        payload: { active: true, events: ['greeting'], config: more },
      });
    expect(await signedBy()).to.equal(['old']);
    const changed = await change({ secret: 'new', secret_overlap_hours: 2 });
    expect(Date.parse(changed.json.config.secret_overlap_until as string)).to.be.above(Date.now() + 7_000_000);
    expect(await signedBy()).to.equal(['new', 'old']);
    expect((await kit.ada.inject(`/ada/tool/settings/hooks/${id}`)).payload).to.include(
      'also signed with the previous secret until',
    );
    await kit.host.database.write(async () => {
      await kit.host.database
        .knex()('webhook')
        .where({ id })
        .update({ previous_until: Date.now() - 1 });
    });
    expect(await signedBy()).to.equal(['new']);
    await change({ secret: 'third', secret_overlap_hours: 1 });
    expect(await signedBy()).to.equal(['third', 'new']);
    // at once: whoever knows the old one is not to be trusted any more
    await change({ secret: 'old' });
    expect(await signedBy()).to.equal(['old']);
    for (const hours of [-1, 721, 'x'])
      expect((await change({ secret: 'y', secret_overlap_hours: hours })).statusCode).to.equal(422);
    await kit.drop(id);
  });

  it('files with certificates hold some', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mortise-ca-'));
    const path = join(folder, 'ca.pem');
    expect(readCertificates('')).to.equal('');
    expect(() => readCertificates(path)).to.throw(/CA_FILE/);
    for (const text of ['no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
      writeFileSync(path, text);
      expect(() => readCertificates(path)).to.throw(/CA_FILE/);
    }
    rmSync(folder, { recursive: true });
  });
});
