import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts } from '@mortise/accounts/api';
import { ImapServer, PostOffice, until } from '@mortise/mail/testing';
import { desk, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

interface CommentJson {
  readonly body: string;
  readonly user: { readonly login: string };
  readonly assets: { readonly name: string; readonly size: number }[];
}

describe('issue 29: notifications answered by mail', { skip: !ImapServer.isInstalled, timeout: 120_000 }, () => {
  let world: World;
  let office: PostOffice;
  let imap: ImapServer;
  before(async () => {
    [office, imap] = [await PostOffice.start(), await ImapServer.start()];
    world = await makeWorld({
      plugins: ['mail'],
      settings: {
        mailer: office.settings,
        'email.incoming': imap.settings,
        service: { ENABLE_NOTIFY_MAIL: true },
        attachment: { ALLOWED_TYPES: '.png,.txt' },
      },
    });
  });
  after(async () => {
    await world?.host.close();
    await office?.close();
    await imap?.close();
  });
  afterEach(async () => {
    await imap.empty();
    office.mails.length = 0;
  });

  /** Of the newest mail to somebody. */
  const headersTo = async (name: string) => {
    await world.host.settle();
    return office.mailTo(`${name}@example.com`).headers;
  };
  let count = 0;
  /** Sends a mail, and waits until it was looked at. */
  const answer = async (to: string, text: string, type = 'text/plain') => {
    await imap.deliver(
      `From: ada@example.com\nTo: ${to}\nSubject: Re: lamp\nMessage-ID: <${++count}@example.com>\nContent-Type: ${type}\n\n${text}\n`,
    );
    await until(async () => (await imap.mails()).every(({ isSeen }) => isSeen));
    await world.host.settle();
  };
  const comments = async (index: number) =>
    (await send<CommentJson[]>(world.ada, 'GET', `${desk}/issues/${index}/comments`)).body;
  const texts = async (index: number) => (await comments(index)).map(({ user, body }) => `${user.login}: ${body}`);
  /** An issue of ben's that ada was told of, and where she answers. */
  const told = async (title = 'lamp') => {
    const index = await open(world.ben, title);
    return { index, to: (await headersTo('ada'))['reply-to']! };
  };
  const refusal = () => {
    const mail = office.mails.findLast(({ subject }) => subject.startsWith('Your reply was not accepted'));
    return mail && [mail.to.join(), mail.text];
  };
  /** Refusals come once an hour. */
  const forgetRefusals = () => world.host.database.write(() => world.host.database.knex()('mail_limit').delete());

  it('become comments of the account that the mail was for, which are told of as others are', async () => {
    const { index, to } = await told();
    await answer(to, '*Yes*, here too.\n\nOn Monday, ben wrote:\n> It flickers.');
    expect(await texts(index)).to.equal(['ada: *Yes*, here too.']);
    const mail = office.mailTo('ben@example.com');
    expect(mail.text).to.include('ada commented:').and.include('*Yes*, here too.');
    // and that one is answered in turn, by another account
    await answer(mail.headers['reply-to']!, 'Thanks.');
    expect(await texts(index)).to.equal(['ada: *Yes*, here too.', 'ben: Thanks.']);
  });

  it('bring the files that may be attached', async () => {
    const { index, to } = await told();
    const file = (name: string, content: string) =>
      `--b\nContent-Type: application/octet-stream; name=${name}\nContent-Disposition: attachment; filename=${name}\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString('base64')}\n`;
    const files = `${file('one.txt', 'first')}${file('evil.exe', 'no')}${file('one.txt', 'second!')}--b--`;
    await answer(to, `--b\nContent-Type: text/plain\n\nSee the files.\n${files}`, 'multipart/mixed; boundary=b');
    await answer(to, files, 'multipart/mixed; boundary=b');
    const [written, bare] = await comments(index);
    expect(written!.body).to.equal('See the files.');
    for (const one of [written!, bare!])
      expect(one.assets.map(({ name, size }) => `${name} ${size}`)).to.equal(['one.txt 5', 'one.txt 7']);
    expect(bare!.body).to.match(/^\[one\.txt\]\(\/attachments\/[\w-]+\)\n\[one\.txt\]\(\/attachments\/[\w-]+\)$/);
  });

  it('are taken with the rights of that moment: not where it is locked or archived, nor from accounts that may not', async () => {
    const { ada, ben, cas, host } = world;
    const index = await open(cas, 'fan');
    await send(ben, 'POST', `${desk}/issues/${index}/comments`, { body: 'since when?' });
    const to = (await headersTo('cas'))['reply-to']!;
    const before = await texts(index);
    const refuses = async (why: string) => {
      await forgetRefusals();
      office.mails.length = 0;
      await answer(to, 'Since today.');
      expect(await texts(index), why).to.equal(before);
      expect(refusal()?.[0], why).to.equal('cas@example.com');
      expect(refusal()![1], why).to.include(why).and.include('Since today.');
    };
    expect((await send(ada, 'PUT', `${desk}/issues/${index}/lock`, { lock_reason: 'spam' })).status).to.equal(204);
    await refuses('This conversation is locked.');
    await send(ada, 'DELETE', `${desk}/issues/${index}/lock`);
    await send(ada, 'PATCH', desk, { archived: true });
    await refuses('archived');
    await send(ada, 'PATCH', desk, { archived: false, private: true });
    await refuses('does not exist any more, or you cannot read it');
    await send(ada, 'PATCH', desk, { private: false });
    // an account that must not sign in is told nothing
    const all = host.services.get(accounts);
    await all.update((await all.byName('cas'))!.id, { prohibitLogin: true });
    office.mails.length = 0;
    await answer(to, 'Since today.');
    expect([await texts(index), office.mails.length]).to.equal([before, 0]);
    await all.update((await all.byName('cas'))!.id, { prohibitLogin: false });
    await answer(to, 'Since today.');
    expect((await texts(index)).at(-1)).to.equal('cas: Since today.');
  });

  it('say why they were not taken: without words, or when the issue is gone', async () => {
    const { index, to } = await told();
    await forgetRefusals();
    await answer(to, 'On Monday, ben wrote:\n> It flickers.');
    expect(await texts(index)).to.equal([]);
    expect(refusal()![1]).to.include('Enter a comment.');
    await forgetRefusals();
    await send(world.ada, 'DELETE', `${desk}/issues/${index}`);
    office.mails.length = 0;
    await answer(to, 'Yes.');
    expect(refusal()![1]).to.include('does not exist any more');
  });

  it('end the mails about an issue, by an empty one to the address for that', async () => {
    const { ben } = world;
    const { index } = await told();
    const away = /<mailto:([^?>]+)/.exec((await headersTo('ada'))['list-unsubscribe']!)![1]!;
    await answer(away, '');
    office.mails.length = 0;
    await send(ben, 'POST', `${desk}/issues/${index}/comments`, { body: 'hello?' });
    await world.host.settle();
    expect([office.mails.length, await texts(index)]).to.equal([0, ['ben: hello?']]);
  });
});
