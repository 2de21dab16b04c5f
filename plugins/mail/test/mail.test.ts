import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, definePlugin } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  deliverMail,
  isMailAddress,
  mailer,
  mailUndeliverable,
  type Mail,
  type Mailer,
  type MailPart,
} from '../contract/mail.js';
import { t } from '../texts/index.js';
import { linkIn, PostOffice } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const hour = 3_600_000;
const mailTo = (address: string, more: Partial<Mail> = {}): Mail => ({
  to: { address, name: 'Ada Lovelace' },
  subject: 'Hello',
  body: [
    'A <b>first</b> & last line',
    { link: 'http://localhost:3000/user/activate?code=a&b=1', label: () => 'Activate' },
  ],
  ...more,
});

describe('mail', () => {
  let office: PostOffice;
  let host: TestHost;
  const given: { to: string; subject: string; reason: string }[] = [];
  const listener = definePlugin({
    name: 'mail-listener',
    version: '1.0.0',
    sdk: '*',
    requires: { mail: '*' },
    register: (host) => host.on(mailUndeliverable, 'within', 'keep', {}, async (event) => void given.push(event)),
  });
  const start = (mailer: Record<string, unknown> = {}) =>
    startHost({ plugins: ['mail', listener], settings: { mailer: { ...office.settings, ...mailer } } });
  const send = (mail: Mail, to = host) => to.services.get(mailer).send(mail);

  before(async () => {
    office = await PostOffice.start();
    host = await start();
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });
  afterEach(() => {
    office.mails.length = 0;
    office.answers = [];
    given.length = 0;
  });

  it('sends in the background, as text and as HTML', async () => {
    expect(await send(mailTo('ada@example.com'))).to.be.true();
    expect(office.mails).to.have.length(0);
    await host.settle();
    const mail = office.mailTo('ada@example.com');
    expect([mail.envelopeFrom, mail.subject]).to.equal(['forge@example.com', 'Hello']);
    expect(mail.headers.from).to.equal('Mortise <forge@example.com>');
    expect(mail.headers.to).to.equal('Ada Lovelace <ada@example.com>');
    expect(mail.headers['auto-submitted']).to.equal('auto-generated');
    expect(mail.headers['message-id']).to.match(/^<[\w-]+@localhost>$/);
    expect(mail.headers.date).to.be.a.string();
    expect(mail.headers['list-unsubscribe']).to.be.undefined();
    expect(mail.text).to.startWith(
      'A <b>first</b> & last line\n\nActivate:\nhttp://localhost:3000/user/activate?code=a&b=1\n',
    );
    expect(linkIn(mail, '/user/activate')).to.equal('/user/activate?code=a&b=1');
    expect(mail.html).to.include([
      '<html lang="en-US">',
      'A &lt;b&gt;first&lt;/b&gt; &amp; last line',
      'href="http://localhost:3000/user/activate?code=a&amp;b=1"',
    ]);
  });

  it('writes in the language of the receiver', async () => {
    const mail = {
      subject: t.later('test.subject', { site: 'Forge' }),
      body: [t.later('test.text', { site: 'Forge' })],
    };
    for (const language of ['de', 'zh-CN', 'xx', undefined])
      await send({ to: { address: `${language ?? 'none'}@example.com`, ...(language ? { language } : {}) }, ...mail });
    await host.settle();
    const subjects = ['de', 'zh-CN', 'xx', 'none'].map((to) => office.mailTo(`${to}@example.com`).subject);
    expect(subjects).to.equal([
      'Test-E-Mail von Forge',
      '来自 Forge 的测试邮件',
      'Test email from Forge',
      'Test email from Forge',
    ]);
    expect(office.mailTo('zh-CN@example.com').text).to.include(['这是一封测试邮件', '由 Mortise 发送']);
    expect(office.mailTo('de@example.com').headers['content-language']).to.equal('de-DE');
  });

  it('goes with the transaction of its sender', async () => {
    const db = host.services.get(database);
    await db
      .write(async () => {
        await send(mailTo('never@example.com'));
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await db.write(async () => void (await send(mailTo('kept@example.com'))));
    await host.settle();
    expect(office.mails.map(({ to }) => to.join())).to.equal(['kept@example.com']);
  });

  it('keeps nothing readable in the database', async () => {
    await send(mailTo('secret@example.com', { subject: 'very-secret-subject', body: ['very-secret-code'] }));
    const rows = JSON.stringify(await host.database.knex()('job').where('name', deliverMail.id));
    expect(rows).to.not.include(['very-secret', 'secret@']);
    await host.settle();
    expect(office.mailTo('secret@example.com').text).to.include('very-secret-code');
  });

  it('lets nobody write headers or add receivers', async () => {
    const evil = 'Hi\r\nBcc: eve@example.com\r\n\r\nbody';
    await send(
      mailTo('ada@example.com', {
        to: { address: 'ada@example.com', name: `Ada\r\nBcc: eve@example.com` },
        subject: evil,
        onBehalfOf: 'Mallory\nBcc: eve@example.com, "<eve@example.com>',
        messageId: 'x>\r\nBcc: eve@example.com',
        thread: ['a\r\nBcc: eve@example.com'],
        list: { id: 'a/b\r\nBcc: eve@example.com', unsubscribe: 'http://localhost/x\r\nBcc: eve@example.com' },
      }),
    );
    await host.settle();
    const [mail] = office.mails;
    expect(mail!.to).to.equal(['ada@example.com']);
    expect(mail!.headers.bcc).to.be.undefined();
    expect(mail!.raw.split('\r\n\r\n')[0]).to.not.match(/^(bcc|eve)/im);
    expect(mail!.subject).to.equal('Hi Bcc: eve@example.com body');
    const from = mail!.headers.from!;
    expect(from).to.endWith(' <forge@example.com>');

    const bad = [
      '',
      'ada',
      'ada@',
      '@x',
      'a@b@c',
      'a b@c',
      'a@b,c@d',
      'a@b\r\nBcc: c@d',
      '<a@b>',
      '-oQ/tmp@x',
      '"a"@b',
      'a@b;c',
      `${'a'.repeat(250)}@b.cc`,
    ];
    for (const address of bad) {
      expect(isMailAddress(address), address).to.be.false();
      await expect(send(mailTo(address))).to.reject('Enter a valid email address.');
    }
    for (const address of ['a@b', "o'hara+tag@x.example", 'jürgen@münchen.example', 'a.b_c-d@x-y.example'])
      expect(isMailAddress(address), address).to.be.true();
  });

  it('says how to end mails of a list, and keeps threads together', async () => {
    await send(
      mailTo('ada@example.com', {
        onBehalfOf: 'Bob',
        messageId: 'issues/7/2',
        thread: ['issues/7', 'issues/7/1'],
        list: { id: 'ada/notes', unsubscribe: 'http://localhost:3000/off?code=1', oneClick: true },
      }),
    );
    await host.settle();
    const { headers, text } = office.mailTo('ada@example.com');
    expect(headers).to.include({
      from: 'Bob <forge@example.com>',
      'message-id': '<issues/7/2@localhost>',
      'in-reply-to': '<issues/7/1@localhost>',
      references: '<issues/7@localhost> <issues/7/1@localhost>',
      'list-id': '<ada.notes.localhost>',
      'list-unsubscribe': '<http://localhost:3000/off?code=1>',
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    expect(text).to.include('Unsubscribe: http://localhost:3000/off?code=1');
  });

  it('tries again what the server wants later, as the same mail, with growing pauses', async () => {
    const later = { code: 451, message: 'greylisted, come back' };
    office.answers = [later, later];
    await send(mailTo('ada@example.com'));
    await host.settle();
    expect(office.mails).to.have.length(0);
    expect(await host.jobs.runDue(Date.now() + 30_000)).to.equal(0);
    await host.jobs.runDue(Date.now() + 70_000);
    expect(office.mails).to.have.length(0);
    expect(await host.jobs.runDue(Date.now() + 70_000 + 2 * 60_000)).to.equal(0);
    await host.jobs.runDue(Date.now() + hour);
    expect(office.mails).to.have.length(1);
    expect(given).to.equal([]);
  });

  it('gives up after a bounded number of attempts, and says so', async () => {
    office.answers = Array.from({ length: 50 }, () => ({ code: 451, message: 'never' }));
    await send(mailTo('ada@example.com'));
    for (let at = Date.now(), n = 0; n < 20; n++) await host.jobs.runDue((at += 7 * hour));
    expect(50 - office.answers.length).to.equal(10);
    expect(given).to.equal([{ to: 'ada@example.com', subject: 'Hello', reason: given[0]!.reason }]);
    expect(given[0]!.reason).to.include('451 never');
  });

  it('gives up at once what is refused for good', async () => {
    office.answers = [{ code: 550, message: 'no such user here' }];
    await send(mailTo('gone@example.com'));
    await host.settle();
    await host.jobs.runDue(Date.now() + 24 * hour);
    expect(office.mails).to.have.length(0);
    expect(given).to.have.length(1);
    expect(given[0]!.reason).to.include('no such user here');
    expect(
      await host.database
        .knex()('job')
        .where({ name: deliverMail.id, state: 'failed' })
        .whereNot('error', 'like', '%never%'),
    ).to.have.length(0);
  });

  it('sends a test at once, and tells what the server said', async () => {
    const lines = await host.command('admin send-test-mail', { to: 'root@example.com' });
    expect(lines).to.equal(['A mail was sent to root@example.com.']);
    expect(office.mailTo('root@example.com').subject).to.equal('Test email from Mortise');
    office.answers = [{ code: 550, message: 'no relaying' }];
    await expect(host.services.get(mailer).test({ address: 'root@example.com' })).to.reject(/no relaying/);
  });

  it('stores nothing and offers nothing when it is off', async () => {
    const off = await startHost({ plugins: ['mail'] });
    try {
      expect(off.services.get(mailer).isEnabled).to.be.false();
      expect(await send(mailTo('ada@example.com'), off)).to.be.false();
      expect(await off.database.knex()('job').where('name', deliverMail.id)).to.equal([]);
      await expect(off.services.get(mailer).test({ address: 'a@b' })).to.reject(/Email is disabled/);
    } finally {
      await off.close();
    }
  });

  it('asks for STARTTLS, checks the certificate, and signs in', async () => {
    const closed = await PostOffice.start({ disabledCommands: [] });
    const plain = await PostOffice.start();
    const tries = [
      [closed, {}, /certificate/],
      [plain, { FORCE_TRUST_SERVER_CERT: true }, /STARTTLS/],
      [closed, { FORCE_TRUST_SERVER_CERT: true, USER: 'forge', PASSWD: 'wrong' }, /Invalid credentials/],
      [closed, { FORCE_TRUST_SERVER_CERT: true, USER: 'forge', PASSWD: 'right' }, undefined],
    ] as const;
    for (const [to, settings, refusal] of tries) {
      const other = await startHost({
        plugins: ['mail'],
        settings: { mailer: { ...to.settings, PROTOCOL: 'smtp+starttls', ...settings } },
      });
      const sending = other.services.get(mailer).test({ address: 'ada@example.com' });
      if (refusal) {
        const error = (await expect(sending).to.reject()) as Error;
        expect(error.message).to.match(refusal);
        expect(error.message).to.not.include('wrong');
      } else await sending;
      await other.close();
    }
    expect(closed.signIns).to.equal(['forge:wrong', 'forge:right']);
    expect(closed.mails.map(({ wasEncrypted }) => wasEncrypted)).to.equal([true]);
    await Promise.all([closed.close(), plain.close()]);
  });

  it('speaks TLS from the start with smtps', async () => {
    const secure = await PostOffice.start({ secure: true });
    const other = await startHost({
      plugins: ['mail'],
      settings: { mailer: { ...secure.settings, PROTOCOL: 'smtps', FORCE_TRUST_SERVER_CERT: true } },
    });
    await other.services.get(mailer).test({ address: 'ada@example.com' });
    expect(secure.mailTo('ada@example.com').wasEncrypted).to.be.true();
    await other.close();
    await secure.close();
  });

  it('uses a socket, or a program', async () => {
    const socket = join(host.workDir, 'smtp.sock');
    const forward: Server = createServer((from) => {
      void import('node:net').then(({ connect }) => {
        const to = connect(office.port, '127.0.0.1');
        from.pipe(to).pipe(from);
        for (const end of [from, to]) end.on('error', () => undefined);
      });
    });
    await new Promise<void>((resolve) => forward.listen(socket, resolve));
    const program = join(host.workDir, 'sendmail');
    await writeFile(
      program,
      `#!/bin/sh\necho "$@" > "$0.args"\ncat > "$0.mail"\ncase "$*" in *refuse*) echo "no such user" >&2; exit 67;; esac\n`,
    );
    await chmod(program, 0o755);

    const viaSocket = await start({ PROTOCOL: 'smtp+unix', SMTP_ADDR: socket });
    await viaSocket.services.get(mailer).test({ address: 'socket@example.com' });
    expect(office.mailTo('socket@example.com').subject).to.startWith('Test email');
    await viaSocket.close();
    forward.close();

    const viaProgram = await start({ PROTOCOL: 'sendmail', SENDMAIL_PATH: program, SENDMAIL_ARGS: '-t "two words"' });
    await viaProgram.services.get(mailer).test({ address: 'program@example.com' });
    expect(await readFile(`${program}.args`, 'utf8')).to.equal(
      '-f forge@example.com -i -t two words program@example.com\n',
    );
    const written = await readFile(`${program}.mail`, 'utf8');
    expect(written).to.include('Subject: Test email from Mortise\n').and.not.include('\r');
    await expect(viaProgram.services.get(mailer).test({ address: 'refuse@example.com' })).to.reject(/no such user/);
    await viaProgram.close();
  });

  it('can leave the HTML out, and put words before the subject', async () => {
    const plain = await start({
      SEND_AS_PLAIN_TEXT: true,
      SUBJECT_PREFIX: '[Forge]',
      FROM: 'The Forge <forge@example.com>',
      ENVELOPE_FROM: 'bounce@example.com',
      FROM_DISPLAY_NAME_FORMAT: '{{ .DisplayName }} ({{ .AppName }})',
    });
    const body: MailPart[] = ['Grüße', { quote: 'a\nb' }, { html: '<p>x</p>', text: 'x' }];
    await send(mailTo('ada@example.com', { body, onBehalfOf: 'Bob' }), plain);
    await plain.settle();
    const mail = office.mailTo('ada@example.com');
    expect([mail.subject, mail.html, mail.envelopeFrom]).to.equal(['[Forge] Hello', '', 'bounce@example.com']);
    expect(mail.headers.from).to.include('Bob (Mortise)').and.include('<forge@example.com>');
    expect(mail.text).to.startWith('Grüße\n\n  a\n  b\n\nx\n');
    await plain.close();
  });

  it('counts mails that strangers ask for, and lets further ones wait', async () => {
    const allow = (limits: Parameters<Mailer['allow']>[0]) => host.services.get(mailer).allow(limits);
    const one = { key: 'recover ada@example.com', max: 2, minutes: 10 };
    const both = [one, { key: 'recover 192.0.2.1', max: 3, minutes: 10 }];
    expect(await Promise.all([allow(both), allow(both), allow(both)])).to.include([undefined, one.key]);
    expect(await allow(both)).to.equal(one.key);
    expect(await allow([both[1]!])).to.be.undefined();
    expect(await allow([both[1]!])).to.equal('recover 192.0.2.1');
    const knex = host.database.knex();
    expect(JSON.stringify(await knex('mail_limit'))).to.not.include(['ada', '192']);
    await host.database.write(async () => void (await host.database.knex()('mail_limit').update({ ends_at: 1 })));
    expect(await allow(both)).to.be.undefined();
    await host.jobs.runDue(Date.now() + 48 * hour);
    expect(await knex('mail_limit').where('ends_at', 1)).to.equal([]);
  });

  it('drops what was stored with another secret', async () => {
    await send(mailTo('ada@example.com'));
    await host.database.write(async () => {
      await host.database
        .knex()('job')
        .where({ name: deliverMail.id, state: 'waiting' })
        .update({ payload: '{"sealed":"AAAA"}' });
    });
    await host.settle();
    expect(office.mails).to.have.length(0);
  });
});
