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
    const page = await kit.ada.inject(`${base}/${id}`);
    expect(page.payload).to.include('Recent deliveries');
    const row = await kit.delivery();
    const shown = await kit.ada.inject(`${base}/${id}/deliveries/${row.id}`);
    expect(shown.payload).to.include('thanks');
    kit.received.length = 0;
    const again = await submitForm(kit.ada, `${base}/${id}/deliveries/${row.id}/redeliver`);
    expect(again.statusCode).to.equal(303);
    await kit.host.settle();
    expect(kit.received).to.have.length(1);
    await kit.drop(id);
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
