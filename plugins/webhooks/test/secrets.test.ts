import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { webhooks } from '../contract/webhooks.js';
import { redactSecrets, redactRequest } from '../services/redaction.js';
import { DeliveryKit, hooksApi } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('secrets of hooks', () => {
  let kit: DeliveryKit;
  before(async () => {
    kit = await DeliveryKit.start();
  });
  after(() => kit?.close());
  beforeEach(() => kit.reset());

  it('never gives secrets back, nor keeps them readable (HOK-04)', async () => {
    const { id, answer } = await kit.make({ authorization_header: 'Bearer abc', name: '  Bell ' }, { secret: 'hush' });
    expect(answer.statusCode).to.equal(201);
    expect(answer.json.name).to.equal('Bell');
    expect(answer.json.authorization_header).to.equal('');
    expect(answer.json.config).to.equal({ url: kit.address, content_type: 'json', room: 'hall' });
    const row = JSON.stringify(await kit.host.database.knex()('webhook').where({ id }).first());
    expect(row).to.not.include('hush');
    expect(row).to.not.include('Bearer');
    await kit.drop(id);
  });

  it('gives hooks of a template on without their secrets', async () => {
    const ids = [
      (await kit.make({ type: 'bare', authorization_header: 'Bearer abc' }, { secret: 'hush' })).id,
      (await kit.make()).id,
    ];
    await kit.ada.inject({ method: 'PATCH', url: '/api/v1/repos/ada/tool', payload: { template: true } });
    const body = (more: object) => ({
      method: 'POST',
      url: '/api/v1/repos/ada/tool/generate',
      payload: { owner: 'ada', ...more },
    });
    expect((await kit.ada.inject(body({ name: 'with', webhooks: true }))).statusCode).to.equal(201);
    expect((await kit.ada.inject(body({ name: 'without', topics: true }))).statusCode).to.equal(201);
    const hooks = (await kit.ada.inject('/api/v1/repos/ada/with/hooks')).json;
    expect(hooks.map(({ type, active }: { type: string; active: boolean }) => [type, active])).to.equal([
      ['bare', true],
    ]);
    const row = await kit.host.database.knex()('webhook').where({ id: hooks[0].id }).first();
    expect([row.secret, row.authorization]).to.equal(['', '']);
    expect((await kit.ada.inject('/api/v1/repos/ada/without/hooks')).json).to.equal([]);
    for (const name of ['with', 'without'])
      await kit.ada.inject({ method: 'DELETE', url: `/api/v1/repos/ada/${name}` });
    for (const id of ids) await kit.drop(id);
  });

  it('leaves the authorization at home when a redirect leads elsewhere, and masks it (HOK-25)', async () => {
    const { id } = await kit.make({ authorization_header: 'Bearer abc' });
    kit.answers = [
      { status: 307, headers: { location: kit.address.replace('127.0.0.1', 'localhost') } },
      { status: 200 },
    ];
    await kit.greet();
    await kit.host.settle();
    expect(kit.received.map(({ headers }) => headers.authorization)).to.equal(['Bearer abc', undefined]);
    const row = await kit.delivery();
    expect(row.state).to.equal('succeeded');
    expect(row.request).to.include('******').and.not.include('abc');
    await kit.drop(id);
  });

  it('forgets an authorization that an edit does not give, as it may be meant for another receiver', async () => {
    const { id } = await kit.make({ authorization_header: 'Bearer abc' });
    const stored = async () => (await kit.host.database.knex()('webhook').where({ id }).first()).authorization !== '';
    const edit = async (payload: object) => {
      expect((await kit.ada.inject({ method: 'PATCH', url: `${hooksApi}/${id}`, payload })).statusCode).to.equal(200);
      return stored();
    };
    expect(await stored()).to.be.true();
    expect(await edit({ authorization_header: 'Bearer def' })).to.be.true();
    expect(await edit({ active: true })).to.be.false();
    expect(await edit({ authorization_header: 'Bearer def' })).to.be.true();
    expect(await edit({ authorization_header: '' })).to.be.false();
    await kit.drop(id);
  });

  it('the form keeps secrets that are not typed again, unless they are to be removed', async () => {
    const { id } = await kit.make({ authorization_header: 'Bearer abc' }, { secret: 'hush' });
    const page = `/ada/tool/settings/hooks/${id}`;
    const stored = async () => {
      const row = await kit.host.database.knex()('webhook').where({ id }).first();
      return [row.secret !== '', row.authorization !== ''];
    };
    const save = async (more: object = {}) => {
      const payload = { name: '', url: kit.address, setting_room: 'hall', active: 'true', events: 'push', ...more };
      expect((await kit.ada.inject({ method: 'POST', url: page, payload })).statusCode).to.equal(303);
      return stored();
    };
    expect((await kit.ada.inject(page)).payload).to.include('name="authorization_remove"');
    expect(await save()).to.equal([true, true]);
    expect(await save({ authorization_remove: 'true' })).to.equal([true, false]);
    expect(await save({ secret_remove: 'true' })).to.equal([false, false]);
    expect((await kit.ada.inject(page)).payload).to.not.include('name="authorization_remove"');
    await kit.drop(id);
  });

  it('asks for secret and authorization again when the address leads elsewhere', async () => {
    const { id } = await kit.make({ authorization_header: 'Bearer abc' }, { secret: 'hush' });
    const url = kit.address.replace('127.0.0.1', 'localhost');
    const page = `/ada/tool/settings/hooks/${id}`;
    const save = async (more: object = {}) => {
      const payload = { name: '', url, setting_room: 'hall', active: 'true', events: 'push', ...more };
      return (await kit.ada.inject({ method: 'POST', url: page, payload })).statusCode;
    };
    expect(await save()).to.equal(422);
    expect(await save({ authorization_header: 'Bearer def' })).to.equal(422);
    expect(await save({ authorization_remove: 'true' })).to.equal(422);
    expect(await save({ authorization_header: 'Bearer def', secret: 'hush' })).to.equal(303);
    const back = { config: { url: kit.address }, active: true };
    const patch = (payload: object) => kit.ada.inject({ method: 'PATCH', url: `${hooksApi}/${id}`, payload });
    expect((await patch(back)).statusCode).to.equal(422);
    expect((await patch({ ...back, config: { ...back.config, secret: 'hush' } })).statusCode).to.equal(200);
    await kit.drop(id);
  });

  it('what is kept of requests hides secrets in whichever form they are written', () => {
    const secret = 'p@ss /wörd"+?';
    const form = new URLSearchParams({ token: secret }).toString();
    const request = {
      method: 'POST',
      url: `https://example.com/bot${encodeURIComponent(secret)}/send?${form}`,
      headers: { 'x-token': secret },
      body: JSON.stringify({ token: secret, more: encodeURIComponent(secret).toLowerCase() }),
    };
    redactRequest(request, [secret]);
    expect(request).to.equal({
      method: 'POST',
      url: 'https://example.com/bot******/send?token=******',
      headers: { 'x-token': '******' },
      body: JSON.stringify({ token: '******', more: '******' }),
    });
    expect(redactSecrets('a hush of hushes', ['', 'hush', 'hushes'])).to.equal('a ****** of ******');
  });

  it('S11: keeps the password of an address unreadable, shows a mask, and sends it to where it belongs', async () => {
    const secret = 'p@ss/wörd';
    const withPassword = (url: string, password = encodeURIComponent(secret)) =>
      url.replace('http://', `http://bell:${password}@`);
    const masked = withPassword(kit.address, '******');
    const { id, answer } = await kit.make({}, { url: withPassword(kit.address) });
    expect(answer.json.config.url).to.equal(masked);
    const patch = (url: string) =>
      kit.ada.inject({
        method: 'PATCH',
        url: `${hooksApi}/${id}`,
        payload: { config: { url }, active: true, events: ['greeting'] },
      });
    const expectAuthorization = async (expected: string | undefined) => {
      kit.received.length = 0;
      await kit.greet();
      await kit.host.settle();
      expect(kit.received.map(({ headers, path }) => [headers.authorization, path])).to.equal([[expected, '/in']]);
    };
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    await expectAuthorization(basic(`bell:${secret}`));
    // what a client was shown comes back
    expect((await patch(masked)).json.config.url).to.equal(masked);
    await expectAuthorization(basic(`bell:${secret}`));
    const elsewhere = masked.replace('127.0.0.1', 'localhost');
    for (const other of [elsewhere, masked.replace('bell:', 'gong:')])
      expect((await patch(other)).statusCode, other).to.equal(422);
    await expectAuthorization(basic(`bell:${secret}`));
    expect((await patch(withPassword(kit.address, 'new'))).statusCode).to.equal(200);
    await expectAuthorization(basic('bell:new'));
    const pages = await Promise.all(
      ['', `/${id}`, `/${id}/deliveries/${(await kit.delivery()).id}`].map((path) =>
        kit.ada.inject({ url: `/ada/tool/settings/hooks${path}` }),
      ),
    );
    const rows = [await kit.host.database.knex()('webhook'), await kit.host.database.knex()('hook_delivery')];
    for (const text of [...pages.map(({ payload }) => payload), JSON.stringify(rows)]) {
      expect(text).to.not.include(secret).and.not.include(encodeURIComponent(secret)).and.not.include('bell:new');
    }
    expect((await patch(kit.address)).json.config.url).to.equal(kit.address);
    await expectAuthorization(undefined);
    await kit.drop(id);
  });

  it('S11: hides passwords that an earlier version stored in addresses', async () => {
    const { id } = await kit.make();
    const clear = kit.address.replace('http://', 'http://bell:hush@');
    await kit.host.database.write(async () => {
      await kit.host.database.knex()('webhook').where({ id }).update({ url: clear });
    });
    await kit.greet();
    await kit.host.settle();
    await kit.host.database.write(async () => {
      const request = JSON.stringify({ method: 'POST', url: clear, headers: {}, body: '' });
      await kit.host.database.knex()('hook_delivery').where({ hook_id: id }).update({ request });
    });
    await (kit.host.services.get(webhooks).hooks as unknown as { hidePasswords(): Promise<void> }).hidePasswords();
    const rows = [await kit.host.database.knex()('webhook'), await kit.host.database.knex()('hook_delivery')];
    expect(JSON.stringify(rows)).to.not.include('hush').and.to.include('bell:******@');
    kit.received.length = 0;
    await kit.greet();
    await kit.host.settle();
    expect(kit.received[0]!.headers.authorization).to.equal(`Basic ${Buffer.from('bell:hush').toString('base64')}`);
    await kit.drop(id);
  });
});
