/** Saved replies: kept with the account, shown to nobody else, bounded. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const address = '/user/settings/replies';

describe('issue 29: saved replies', () => {
  let host: TestHost;
  let ada: TestClient;
  let grace: TestClient;
  before(async () => {
    host = await startHost({ plugins: ['saved-replies'] });
    ada = host.as(await createAccount(host, 'ada'));
    grace = host.as(await createAccount(host, 'grace'));
  });
  after(() => host.close());

  const pageOf = async (client: TestClient, path = address) => (await client.inject(path)).payload;
  const firstId = async () => Number(/href="\/user\/settings\/replies\/(\d+)"/.exec(await pageOf(ada))![1]);

  it('are added, changed and deleted by their owner', async () => {
    const added = await submitForm(ada, address, { title: 'Thanks', text: 'Thank <you> & good bye' });
    expect([added.statusCode, added.headers.location]).to.equal([303, `${address}?saved=1`]);
    expect(await pageOf(ada, `${address}/menu`)).to.contain('data-reply="Thank &lt;you> &amp; good bye"');
    const id = await firstId();
    await submitForm(ada, `${address}/${id}`, { title: 'Thanks a lot', text: 'Thank you' });
    expect(await pageOf(ada)).to.contain(['Thanks a lot', '>Thank you<']);
    await submitForm(ada, `${address}/${id}/delete`, {});
    expect(await pageOf(ada)).not.to.contain('Thanks a lot');
  });

  it('belong to one person', async () => {
    await submitForm(ada, address, { title: 'Mine', text: 'Of Ada' });
    const id = await firstId();
    expect(await pageOf(grace, `${address}/menu`)).not.to.contain('Of Ada');
    expect((await grace.inject(`${address}/${id}`)).statusCode).to.equal(404);
    for (const path of [`${address}/${id}`, `${address}/${id}/delete`])
      expect((await submitForm(grace, path, { title: 'Hers', text: 'Of Grace' })).statusCode).to.equal(404);
    expect(await pageOf(ada)).to.contain('Mine');
  });

  it('are refused without a title or text, too long, or too many, and the form keeps what was written', async () => {
    for (const [title, text] of [
      ['', 'a text'],
      ['a title', ' \n'],
      ['x'.repeat(101), 'a text'],
      ['a title', 'x'.repeat(20_001)],
    ] as const) {
      const refused = await submitForm(ada, address, { title, text });
      expect([refused.statusCode, refused.payload.includes('aria-invalid="true"')]).to.equal([422, true]);
    }
    const kept = await submitForm(ada, address, { title: '', text: 'what I wrote' });
    expect(kept.payload).to.contain('what I wrote');
    for (let count = 0; count < 100; count++) await submitForm(grace, address, { title: `${count}`, text: 'x' });
    const last = await submitForm(grace, address, { title: 'one more', text: 'x' });
    expect([last.statusCode, last.payload.includes('There can be at most 100 saved replies.')]).to.equal([422, true]);
  });

  it('go with the account', async () => {
    const service = host.services.get(accounts);
    const linus = await createAccount(host, 'linus');
    await submitForm(host.as(linus), address, { title: 'Bye', text: 'x' });
    await service.delete(linus.id);
    const rows = await host.database.knex()('saved_reply').where('user_id', linus.id);
    expect(rows).to.equal([]);
  });
});
