import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { linkIn, PostOffice } from '@mortise/mail/testing';
import { accountCodes, accounts, emails } from '../api.js';
import { password, signUp, type SignedIn } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const page = '/user/settings/account';

describe('mails to accounts', () => {
  let office: PostOffice;
  let host: TestHost;
  let ada: SignedIn;
  let bob: SignedIn;
  before(async () => {
    office = await PostOffice.start();
    host = await startHost({ plugins: ['accounts', 'mail'], settings: { mailer: office.settings } });
    ada = await signUp(host, 'ada', { fullName: 'Ada L.' });
    bob = await signUp(host, 'bob');
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });
  afterEach(() => void (office.mails.length = 0));

  const address = async (email: string, of = ada) =>
    (await host.services.get(emails).list(of.account.id)).find((one) => one.email === email);
  const add = async (email: string, client = ada, headers: Record<string, string> = {}) => {
    const answer = await submitForm(
      {
        inject: (one) =>
          client.inject(typeof one === 'string' ? one : { ...one, headers: { ...one.headers, ...headers } }),
      },
      `${page}/email`,
      { email },
    );
    await host.settle();
    return answer;
  };
  const confirm = (link: string, client = ada) =>
    submitForm(client, '/user/activate_email', { code: new URL(link, 'http://x').searchParams.get('code')! });

  it('asks whether an added address is theirs; before that it proves nothing', async () => {
    const added = await add('ada@work.example');
    expect(added.headers.location).to.equal(`${page}?sent=ada%40work.example`);
    expect(await address('ada@work.example')).to.include({ isVerified: false, isConfirmed: false });
    const service = host.services.get(accounts);
    expect(await service.byEmail('ada@work.example')).to.be.undefined();
    expect(await service.checkPassword('ada@work.example', password)).to.be.undefined();
    const early = await submitForm(ada, `${page}/email/primary`, { email: 'ada@work.example' });
    expect(early.statusCode).to.equal(422);
    expect(early.payload).to.include('Confirm this email address before you make it primary.');
    expect((await ada.inject(added.headers.location!)).payload).to.include([
      'A confirmation email has been sent to ada@work.example.',
      'Send confirmation email to ada@work.example',
      'Unverified',
    ]);

    const mail = office.mailTo('ada@work.example');
    expect(mail.subject).to.equal('Confirm your email address on Mortise');
    expect(mail.text).to.startWith('Hello Ada L.,\n\n').and.include('The link expires in 180 minutes.');
    const link = linkIn(mail, '/user/activate_email');
    const shown = await ada.inject(link);
    expect(shown.payload).to.include(['<strong>ada@work.example</strong>', 'Confirm email address']);
    // reading changes nothing: programs open links in mails
    expect(await address('ada@work.example')).to.include({ isVerified: false });

    const done = await confirm(link);
    expect([done.statusCode, done.headers.location]).to.equal([303, `${page}?confirmed`]);
    expect(await address('ada@work.example')).to.include({ isVerified: true, isConfirmed: true });
    expect((await service.byEmail('ada@work.example'))?.id).to.equal(ada.account.id);
    // once
    expect((await confirm(link)).statusCode).to.equal(410);
    expect((await ada.inject(link)).statusCode).to.equal(410);
  });

  it('S12: who answers the mail has the address, and who only claimed it loses it and is told', async () => {
    const service = host.services.get(emails);
    const eve = await signUp(host, 'eva');
    // several may claim what nobody has shown to be theirs
    await service.add(bob.account.id, ['wanted@work.example'], { verified: false });
    await service.add(eve.account.id, ['wanted@work.example'], { verified: true });
    await expect(service.add(eve.account.id, ['wanted@work.example'], { verified: false })).to.reject(/in use/);
    expect((await add('wanted@work.example')).statusCode).to.equal(303);
    const link = linkIn(office.mailTo('wanted@work.example'), '/user/activate_email');
    expect((await confirm(link)).statusCode).to.equal(303);
    await host.settle();
    expect(await address('wanted@work.example')).to.include({ isVerified: true, isConfirmed: true, isProven: true });
    expect(await address('wanted@work.example', eve)).to.be.undefined();
    expect(office.mailTo(eve.account.email).text).to.include('wanted@work.example').and.include('eva');
    // the other claim is worth nothing any more, nor is a new one
    await expect(service.confirm(bob.account.id, 'wanted@work.example')).to.reject(/in use/);
    expect(await address('wanted@work.example', bob)).to.include({ isVerified: false });
    await expect(service.add(eve.account.id, ['WANTED@work.example'], { verified: false })).to.reject(/in use/);
    await service.remove(bob.account.id, ['wanted@work.example']);
    await service.remove(ada.account.id, ['wanted@work.example']);
  });

  it('takes codes from nobody else, for nothing else, and not for ever', async () => {
    await add('ada@other.example');
    const link = linkIn(office.mailTo('ada@other.example'), '/user/activate_email');
    expect((await confirm(link, bob)).statusCode).to.equal(410);
    expect((await bob.inject(link)).payload).to.not.include('ada@other.example');
    expect((await host.inject(link)).statusCode).to.equal(303);
    const code = new URL(link, 'http://x').searchParams.get('code')!;
    const [user, id, end, signature] = code.split('.') as [string, string, string, string];
    const forged = [
      '',
      'x',
      `${bob.account.id}.${id}.${end}.${signature}`,
      `${user}.${Number(id) - 1}.${end}.${signature}`,
      `${user}.${id}.${Number(end) + 1}.${signature}`,
      `${user}.${id}.${end}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
    ];
    for (const one of forged)
      expect((await submitForm(ada, '/user/activate_email', { code: one })).statusCode, one).to.equal(410);
    const codes = host.services.get(accountCodes);
    const of = { purpose: 'a', userId: ada.account.id, bound: 'x' };
    const good = await codes.make(of, 1);
    expect(await codes.read('a', good, async () => 'x')).to.equal({ userId: ada.account.id, subjectId: 0 });
    expect(await codes.read('b', good, async () => 'x')).to.be.undefined();
    expect(await codes.read('a', good, async () => 'y')).to.be.undefined();
    expect(await codes.read('a', await codes.make(of, -1), async () => 'x')).to.be.undefined();
    // removed and added again it is another address
    await submitForm(ada, `${page}/email/delete`, { email: 'ada@other.example' });
    await host.services.get(emails).add(ada.account.id, ['ada@other.example'], { verified: false });
    expect((await confirm(link)).statusCode).to.equal(410);
    // a new password ends what was sent before
    await submitForm(ada, `${page}/email/confirm`, { email: 'ada@other.example' });
    await host.settle();
    const again = linkIn(office.mailTo('ada@other.example'), '/user/activate_email');
    await host.services.get(accounts).update(ada.account.id, { password: 'another long one' });
    expect((await confirm(again)).statusCode).to.equal(410);
    await host.services.get(accounts).update(ada.account.id, { password });
  });

  it('asks the same over the API', async () => {
    const added = await bob.inject({
      method: 'POST',
      url: '/api/v1/user/emails',
      payload: { emails: ['bob@a.example', 'bob@b.example'] },
    });
    expect(added.statusCode).to.equal(201);
    expect(added.json.map((one: { email: string; verified: boolean }) => [one.email, one.verified])).to.equal([
      ['bob@example.com', true],
      ['bob@a.example', false],
      ['bob@b.example', false],
    ]);
    await host.settle();
    expect((await confirm(linkIn(office.mailTo('bob@b.example'), 'activate_email'), bob)).statusCode).to.equal(303);
    expect(await address('bob@a.example', bob)).to.include({ isVerified: false });
    expect(await address('bob@b.example', bob)).to.include({ isVerified: true });
  });

  it('does not send mails without end', async () => {
    await add('bob@many.example', bob);
    const answers = [];
    for (let n = 0; n < 5; n++)
      answers.push(await submitForm(bob, `${page}/email/confirm`, { email: 'bob@many.example' }));
    expect(answers.map(({ statusCode }) => statusCode)).to.equal([303, 303, 429, 429, 429]);
    expect(answers.at(-1)!.payload).to.include('Too many emails have been requested. Try again later.');
    await host.settle();
    expect(office.mails).to.have.length(3);
    expect((await submitForm(bob, `${page}/email/confirm`, { email: 'ada@example.com' })).statusCode).to.equal(404);
  });

  it('writes in the language of the account, or else of the browser', async () => {
    await add('ada@browser.example', ada, { 'accept-language': 'de-AT,de;q=0.8' });
    expect(office.mailTo('ada@browser.example').subject).to.equal('E-Mail-Adresse auf Mortise bestätigen');
    await host.services.get(accounts).update(ada.account.id, { language: 'zh-CN' });
    await add('ada@chosen.example', ada, { 'accept-language': 'de' });
    expect(office.mailTo('ada@chosen.example').text).to.include('Ada L.，您好：');
    await host.services.get(accounts).update(ada.account.id, { language: '' });
  });

  it('tells of a new password, and the old address of a new one', async () => {
    await host.services.get(accounts).update(bob.account.id, { password: 'long enough too' });
    await host.settle();
    expect(office.mailTo('bob@example.com').subject).to.equal('Your password on Mortise has been changed');
    expect(office.mailTo('bob@example.com').raw).to.not.include('long enough too');
    await host.services.get(emails).makePrimary(bob.account.id, 'bob@b.example');
    await host.settle();
    expect(office.mailTo('bob@example.com').text).to.include('is now bob@b.example.');
    await host.services.get(accounts).update(bob.account.id, { email: 'bob@c.example' });
    await host.settle();
    expect(office.mailTo('bob@b.example').text).to.include('is now bob@c.example.');
    office.mails.length = 0;
    await host.services
      .get(accounts)
      .update(bob.account.id, { email: 'bob@c.example', fullName: 'Bob', isActive: true });
    await host.settle();
    expect(office.mails).to.equal([]);
  });

  it('leaves everything as it was where there is no mail', async () => {
    for (const settings of [{ plugins: ['accounts'] }, { plugins: ['accounts', 'mail'] }]) {
      const plain = await startHost(settings);
      const eve = await signUp(plain, 'eve');
      const added = await submitForm(eve, `${page}/email`, { email: 'eve@work.example' });
      expect(added.headers.location).to.equal(`${page}?saved`);
      expect(await plain.services.get(emails).list(eve.account.id)).to.have.length(2);
      const second = (await plain.services.get(emails).list(eve.account.id))[1];
      expect(second).to.include({ email: 'eve@work.example', isVerified: true, isConfirmed: false });
      const shown = await eve.inject(page);
      expect(shown.payload).to.include('eve@work.example').and.not.include('confirmation email');
      expect((await eve.inject('/user/activate_email?code=1')).statusCode).to.equal(404);
      await plain.services.get(accounts).update(eve.account.id, { password: 'another long one' });
      expect(await plain.database.knex()('job').where('name', 'like', 'mail%')).to.equal([]);
      await plain.close();
    }
  });
});
