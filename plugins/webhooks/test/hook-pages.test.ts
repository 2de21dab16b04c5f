import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { DeliveryKit, hooksApi } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('hooks over the API and on pages', () => {
  let kit: DeliveryKit;
  before(async () => {
    kit = await DeliveryKit.start();
  });
  after(() => kit?.close());
  beforeEach(() => kit.reset());

  it('refuses what is wrong with 422', async () => {
    for (const [option, config] of [
      [{ type: 'pigeon' }, {}],
      [{}, { url: 'nowhere' }],
      [{}, { url: 'ftp://example.com' }],
      [{}, { content_type: 'yaml' }],
      [{}, { room: '' }],
      [{ branch_filter: '{' }, {}],
      [{ name: 'x'.repeat(256) }, {}],
    ] as const) {
      expect((await kit.make(option, config)).answer.statusCode).to.equal(422);
    }
  });

  it('is for administrators of the repository only', async () => {
    const ben = await createAccount(kit.host, 'ben');
    expect((await kit.host.as(ben).inject(hooksApi)).statusCode).to.equal(403);
    expect((await kit.host.inject(hooksApi)).statusCode).to.equal(401);
  });

  it('has pages: list, form, history, and sending again', async () => {
    const { id } = await kit.make({ name: 'Bell' });
    await kit.greet();
    await kit.host.settle();
    const base = '/ada/tool/settings/hooks';
    const list = await kit.ada.inject(base);
    expect(list.statusCode).to.equal(200);
    expect(list.payload).to.include('Bell');
    expect((await kit.ada.inject(`${base}/new?type=plain`)).payload).to.include('setting_room');
    expect((await kit.ada.inject(`${base}/${id}`)).payload).to.include(`${base}/${id}/deliveries"`);
    const row = await kit.delivery();
    const page = await kit.ada.inject(`${base}/${id}/deliveries`);
    expect(page.payload)
      .to.include(`${base}/${id}/deliveries/${row.id}"`)
      .and.to.match(/greeting<.*>200<.*\d ms/);
    const shown = await kit.ada.inject(`${base}/${id}/deliveries/${row.id}`);
    expect(shown.payload).to.include('thanks');
    const part = (await kit.ada.inject(`${base}/${id}/deliveries/${row.id}?part=details`)).payload;
    expect(part).to.include('thanks').and.not.include('<html');
    kit.received.length = 0;
    const again = await submitForm(kit.ada, `${base}/${id}/deliveries/${row.id}/redeliver`);
    expect(again.statusCode).to.equal(303);
    await kit.host.settle();
    expect(kit.received).to.have.length(1);
    await kit.drop(id);
  });

  it('issue 29: hears just pushes, everything, or what is chosen', async () => {
    const base = '/ada/tool/settings/hooks';
    const fields = { url: kit.address, setting_room: 'hall', content_type: 'json', active: 'true' };
    const send = (path: string, more: object) =>
      submitForm(kit.ada, `${base}${path}`, { ...fields, ...more } as Record<string, string>);
    const made = await send('/new?type=plain', { event_choice: 'everything', events: 'delete' });
    const id = String(made.headers.location).split('/').at(-1)!;
    const events = async () => (await kit.ada.inject(`${hooksApi}/${id}`)).json.events as string[];
    const checked = async () =>
      /name="event_choice" value="(\w+)" checked/.exec((await kit.ada.inject(`${base}/${id}`)).payload)?.[1];
    expect(await events()).to.include(['push', 'issues', 'package', 'greeting']);
    expect(await checked()).to.equal('everything');
    await kit.greet();
    await kit.host.settle();
    expect(kit.received).to.have.length(1);
    await send(`/${id}`, { event_choice: 'push', events: 'delete' });
    expect([await events(), await checked()]).to.equal([['push'], 'push']);
    await send(`/${id}`, { event_choice: 'chosen', events: 'greeting' });
    expect([await events(), await checked()]).to.equal([['greeting'], 'chosen']);
    const refused = await send(`/${id}`, { event_choice: 'chosen' });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('id="field-event_choice-error"').and.include('Choose at least one event.');
    expect(await events()).to.equal(['greeting']);
    await kit.drop(id as unknown as number);
  });

  it('issue 29: offers the kinds in one menu, with their pictures', async () => {
    for (const path of ['/ada/tool/settings/hooks', '/user/settings/hooks']) {
      const { payload } = await kit.ada.inject(path);
      const [, menu = ''] = /<details class="dropdown.*?Add webhook.*?<\/summary>(.*?)<\/details>/s.exec(payload) ?? [];
      expect(menu).to.match(new RegExp(`<a href="${path}/new\\?type=plain"><svg.*?</svg> Plain</a>`));
    }
  });

  it('has the same pages for an account', async () => {
    const base = '/user/settings/hooks';
    expect((await kit.ada.inject(base)).payload).to.include('No webhooks yet');
    const save = (fields: Record<string, string>) => submitForm(kit.ada, `${base}/new?type=plain`, fields);
    const wrong = await save({ url: 'nowhere', setting_room: 'hall', content_type: 'json' });
    expect(wrong.statusCode).to.equal(422);
    expect(wrong.payload).to.include('nowhere').and.include('hall');
    const made = await save({
      url: kit.address,
      setting_room: 'hall',
      content_type: 'json',
      events: 'push',
      active: 'true',
    });
    expect(made.statusCode).to.equal(303);
    expect((await kit.ada.inject(String(made.headers.location))).statusCode).to.equal(200);
    const gone = await submitForm(kit.ada, `${String(made.headers.location)}/delete`);
    expect(gone.statusCode).to.equal(303);
    expect((await kit.ada.inject('/api/v1/user/hooks')).json).to.equal([]);
  });
});
