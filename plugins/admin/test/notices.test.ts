import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineJob, definePlugin, jobs } from '@mortise/plugin-sdk';
import { submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import type { SignedIn } from '@mortise/accounts/testing';
import { mailer } from '@mortise/mail/api';
import { PostOffice } from '@mortise/mail/testing';
import { siteNotices } from '../contract/admin.js';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const broken = defineJob<Record<string, never>>('test-broken.job');
const url = '/-/admin/notices';

describe('mail and notices, for administrators', () => {
  let office: PostOffice;
  let host: TestHost;
  let root: SignedIn;
  let ada: SignedIn;
  const plugin = definePlugin({
    name: 'test-broken',
    version: '1.0.0',
    sdk: '*',
    register: (registering) =>
      registering.job(broken, { attempts: 2 }, {}, async () => {
        throw new Error('it is broken <b>');
      }),
  });
  before(async () => {
    office = await PostOffice.start();
    ({ host, root, ada } = await startAdmin({
      plugins: ['admin', 'mail', plugin],
      settings: { mailer: office.settings },
    }));
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });
  afterEach(async () => {
    office.mails.length = 0;
    await host.database.write(async () => void (await host.database.knex()('site_notice').delete()));
  });
  const add = (text: string) => host.services.get(siteNotices).add('other', text);

  it('list jobs that failed for good, and mails that cannot be delivered', async () => {
    expect((await root.inject(url)).payload).to.include('No notices');
    await host.services.get(jobs).enqueue(broken, {});
    await host.settle();
    expect((await root.inject(url)).payload).to.include('No notices');
    await host.jobs.runDue(Date.now() + 3_600_000);
    office.answers = [{ code: 550, message: 'no such user' }];
    await host.services.get(mailer).send({ to: { address: 'gone@example.com' }, subject: 'Hi', body: ['x'] });
    await host.settle();
    const { payload } = await root.inject(url);
    expect(payload).to.include([
      'The job test-broken.job of test-broken failed: Error: it is broken &lt;b>',
      'A mail to gone@example.com could not be delivered: Hi',
      'no such user',
    ]);
    expect(payload.indexOf('gone@example.com')).to.be.below(payload.indexOf('test-broken.job'));
    expect(await host.database.knex()('site_notice')).to.have.length(2);
  });

  it('are deleted one by one, or all that were seen', async () => {
    for (let n = 1; n <= 60; n++) await add(`notice number ${n}`);
    const first = await root.inject(url);
    expect(first.payload).to.include(['notice number 60', 'rel="next"']).and.not.include('notice number 10<');
    expect((await root.inject(`${url}?page=2`)).payload).to.include('notice number 10<');
    const id = Number(/name="id" value="(\d+)"/.exec(first.payload)![1]);
    const newest = Number(/name="up_to" value="(\d+)"/.exec(first.payload)![1]);
    expect(newest).to.equal(id);
    const one = await submitForm(root, `${url}/delete`, { id: String(id) });
    expect([one.statusCode, one.headers.location]).to.equal([303, `${url}?done`]);
    expect((await root.inject(url)).payload).to.not.include('notice number 60');
    await add('came meanwhile');
    await submitForm(root, `${url}/delete`, { up_to: String(newest) });
    const rows = await host.database.knex()('site_notice');
    expect(rows.map(({ text }) => text as string)).to.equal(['came meanwhile']);
    expect((await submitForm(root, `${url}/delete`, { id: 'x' })).statusCode).to.equal(422);
  });

  it('the newest 5,000 notices of the site are kept', async () => {
    await host.database.write(async () => {
      const rows = Array.from({ length: 5003 }, (_, n) => ({ kind: 'other', text: `${n}`, created_at: 1 }));
      for (let at = 0; at < rows.length; at += 200)
        await host.database
          .knex()('site_notice')
          .insert(rows.slice(at, at + 200));
    });
    await host.jobs.runDue(Date.now() + 8 * 86_400_000);
    const left = await host.database.knex()('site_notice').orderBy('id');
    expect([left.length, left[0]?.text]).to.equal([5000, '3']);
  });

  it('sends a test mail, and shows what the mail server said', async () => {
    const page = await root.inject('/-/admin/mail');
    expect(page.payload).to.include(['value="root@example.com"', 'Send test email']);
    const sent = await submitForm(root, '/-/admin/mail', { email: 'root@example.com' });
    expect(sent.headers.location).to.equal('/-/admin/mail?sent=root%40example.com');
    expect(office.mailTo('root@example.com').subject).to.equal('Test email from Mortise');
    office.answers = [{ code: 550, message: 'no relaying for you' }];
    const refused = await submitForm(root, '/-/admin/mail', { email: 'root@example.com' });
    expect([refused.statusCode, refused.payload.includes('no relaying for you')]).to.equal([422, true]);
    expect((await submitForm(root, '/-/admin/mail', { email: 'a@b, c@d' })).statusCode).to.equal(422);
  });

  it('writes to whom an administrator makes an account for, when asked to', async () => {
    const make = (username: string, more: object) =>
      root.inject({
        method: 'POST',
        url: '/api/v1/admin/users',
        payload: { username, email: `${username}@example.com`, password: 'long enough', ...more },
      });
    expect((await make('bob', { send_notify: true })).statusCode).to.equal(201);
    expect((await make('eve', { send_notify: false })).statusCode).to.equal(201);
    expect((await make('fay', {})).statusCode).to.equal(201);
    const fields = { username: 'gil', email: 'gil@example.com', password: 'long enough', send_notify: 'true' };
    await submitForm(root, '/-/admin/users/new', fields);
    await host.settle();
    expect(office.mails.map(({ to }) => to.join())).to.only.include(['bob@example.com', 'gil@example.com']);
    const mail = office.mailTo('bob@example.com');
    expect(mail.text).to.include(['account bob for you', '/user/login', 'choose a new password']);
    expect(mail.raw).to.not.include('long enough');
  });

  it('is for administrators, and where mail is on', async () => {
    for (const path of [url, '/-/admin/mail']) expect((await ada.inject(path)).statusCode, path).to.equal(403);
    expect((await submitForm(ada, `${url}/delete`, { up_to: '9' })).statusCode).to.equal(403);
    for (const plugins of [['admin'], ['admin', 'mail']]) {
      const plain = await startAdmin({ plugins });
      expect((await plain.root.inject('/-/admin/mail')).statusCode).to.equal(404);
      expect((await plain.root.inject('/-/admin')).payload)
        .to.not.include('/-/admin/mail')
        .and.include(url);
      expect((await plain.root.inject('/-/admin/users/new')).payload).to.not.include('by email');
      await plain.host.close();
    }
  });
});
