import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Invalid, definePlugin, type Finding } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { incomingMailHandlers, mailSenders, type IncomingMail } from '../contract/incoming.js';
import { mailer } from '../contract/mail.js';
import { IncomingMailRow } from '../models/incoming-mail.js';
import { checkMailbox } from '../services/check.js';
import { incomingMailSettings, type IncomingMailSettings } from '../settings.js';
import { ImapServer, PostOffice, until } from '../testing.js';
import { incomingRef } from '../wiring.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const ada = 7;

/** What the handler of the tests got. */
interface Taken {
  readonly subjectId: number;
  readonly userId: number;
  readonly text: string;
  readonly files: readonly string[];
  readonly recordedId: number | undefined;
}

describe('issue 29: answers by mail', { skip: !ImapServer.isInstalled, timeout: 120_000 }, () => {
  let office: PostOffice;
  let imap: ImapServer;
  let host: TestHost;
  const taken: Taken[] = [];
  let handle: (mail: IncomingMail) => Promise<void> = async () => undefined;
  const listener = definePlugin({
    name: 'answer-listener',
    version: '1.0.0',
    sdk: '*',
    requires: { mail: '*' },
    register(plugin) {
      plugin.contribute(mailSenders, {
        find: async (id) => (id === ada ? { address: 'ada@example.com', name: 'Ada', language: 'de-DE' } : undefined),
      });
      plugin.contribute(incomingMailHandlers, {
        key: 'thing',
        async handle(subjectId, mail, userId) {
          const { text, attachments, recordedId } = mail;
          taken.push({ subjectId, userId, text, recordedId, files: attachments.map(({ name }) => name) });
          await handle(mail);
        },
      });
    },
  });
  const start = (incoming: Record<string, unknown> = {}) =>
    startHost({
      plugins: ['mail', listener],
      settings: { mailer: office.settings, 'email.incoming': { ...imap.settings, ...incoming } },
    });
  /** Where ada answers to thing 12. */
  const addressFor = async (userId = ada, kind = 'thing') => {
    office.mails.length = 0;
    await host.services.get(mailer).send({
      to: { address: 'ada@example.com' },
      subject: 'News',
      body: ['It flickers.'],
      list: { id: 'ada/mill', unsubscribe: 'http://localhost:3000/u' },
      answers: { userId, subject: { kind, id: 12 }, unsubscribe: { kind, id: 13 } },
    });
    await host.settle();
    return office.mailTo('ada@example.com').headers;
  };
  const write = (to: string, { id = 'a', text = 'Yes, here too.', more = '' } = {}) =>
    `From: Someone Else <else@example.org>\nTo: ${to}\nSubject: Re: ${id}\nMessage-ID: <${id}@example.org>\n${more}\n${text}\n`;
  const stored = async () => (await imap.mails()).map(({ subject, isSeen }) => `${subject} ${isSeen ? 'seen' : 'new'}`);
  /** Every mail was looked at. */
  const settled = () => until(async () => (await imap.mails()).every(({ isSeen }) => isSeen));
  const rows = () => host.database.query(IncomingMailRow);

  before(async () => {
    [office, imap] = [await PostOffice.start(), await ImapServer.start()];
    host = await start();
  });
  after(async () => {
    await host?.close();
    await office?.close();
    await imap?.close();
  });
  afterEach(async () => {
    await imap.empty();
    taken.length = 0;
    handle = async () => undefined;
  });

  it('go to the address that each mail carries, which is for one account and one subject', async () => {
    const { 'reply-to': to, references, 'in-reply-to': parent, 'list-unsubscribe': unsubscribe } = await addressFor();
    expect(to).to.match(/^incoming\+thing-c-7-[a-f0-9]{24}@example\.com$/);
    expect(to!.split('@')[0]!.length).to.be.at.most(64);
    expect(references).to.match(/^<reply-thing-c-7-[a-f0-9]{24}@localhost>$/);
    expect(parent).to.be.undefined();
    expect(unsubscribe).to.match(
      /^<http:\/\/localhost:3000\/u>, <mailto:incoming\+thing-d-7-[a-f0-9]{24}@example\.com\?subject=unsubscribe>$/,
    );
    expect(office.mailTo('ada@example.com').text).to.include('You can reply to this email.');
    await imap.deliver(write(to!, { text: 'Yes, here too.\n\nOn Monday, Forge wrote:\n> It flickers.' }));
    await until(async () => (await stored()).length === 0);
    expect(taken).to.equal([{ subjectId: 12, userId: ada, text: 'Yes, here too.', files: [], recordedId: undefined }]);
  });

  it('are known by what they answer where a mail program cut the address', async () => {
    const { references } = await addressFor();
    await imap.deliver(write('forge@example.com', { id: 'cut', more: `References: <x@example.com> ${references}\n` }));
    await until(() => taken.length === 1);
    await imap.deliver(write((await addressFor())['reply-to']!.toUpperCase(), { id: 'upper' }));
    await until(() => taken.length === 2);
  });

  it('are taken once, also when they come again, and stay as read where the settings say so', async () => {
    const to = (await addressFor())['reply-to']!;
    await host.close();
    host = await start({ DELETE_HANDLED_MESSAGE: false });
    const other = (await addressFor())['reply-to']!;
    expect(other).to.not.equal(to);
    await imap.deliver(write(other, { id: 'twice' }));
    await imap.deliver(write(other, { id: 'twice' }));
    await settled();
    expect(taken.length).to.equal(1);
    expect(await stored()).to.equal(['Re: twice seen', 'Re: twice seen']);
    // of another installation
    await imap.deliver(write(to, { id: 'foreign' }));
    await until(async () => (await stored()).includes('Re: foreign seen'));
    expect(taken.length).to.equal(1);
  });

  it('that say nothing of an account, that programs wrote, or that are for accounts that are gone are passed over', async () => {
    const to = (await addressFor())['reply-to']!;
    const nobody = (await addressFor(8))['reply-to']!;
    const unknown = (await addressFor(ada, 'other'))['reply-to']!;
    const forged = to.replace('-7-', '-8-');
    office.mails.length = 0;
    await imap.deliver(write('forge@example.com', { id: 'none' }));
    await imap.deliver(write(forged, { id: 'forged' }));
    await imap.deliver(write(nobody, { id: 'gone' }));
    await imap.deliver(write(unknown, { id: 'unknown' }));
    await imap.deliver(write(to, { id: 'holiday', more: 'Auto-Submitted: auto-replied\n' }));
    await imap.deliver(write(to, { id: 'bulk', more: 'Precedence: bulk\n' }));
    await imap.deliver(write(to, { id: 'bounce', more: 'Return-Path: <>\n' }));
    await imap.deliver(write(to, { id: 'own' }).replace('else@example.org', to));
    await settled();
    await host.settle();
    expect([taken.length, office.mails.length, (await stored()).length]).to.equal([0, 0, 8]);
  });

  it('that are refused come back to the account with the reason, in its language and at most once an hour', async () => {
    const to = (await addressFor())['reply-to']!;
    office.mails.length = 0;
    handle = async () => {
      throw Invalid('Enter a comment.');
    };
    await imap.deliver(write(to, { id: 'one', text: 'my words' }));
    await imap.deliver(write(to, { id: 'two' }));
    await settled();
    await host.settle();
    expect(taken.length).to.equal(2);
    expect(office.mails.map(({ to: receivers, subject }) => [...receivers, subject])).to.equal([
      ['ada@example.com', 'Antwort nicht angenommen: Re: one'],
    ]);
    expect(office.mails[0]!.text).to.include('Enter a comment.').and.include('my words');
    expect(office.mails[0]!.headers['auto-submitted']).to.equal('auto-generated');
  });

  it('whose parts lie too deep are not read', async () => {
    const to = (await addressFor())['reply-to']!;
    const parts = Array.from(
      { length: 40 },
      (_part, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}`,
    );
    await imap.deliver(write(to, { id: 'deep', more: `${parts.join('\n')}\n` }));
    await settled();
    expect(taken).to.equal([]);
  });

  it('that are too large are not read', async () => {
    await host.close();
    host = await start({ MAXIMUM_MESSAGE_SIZE: 20_000 });
    const to = (await addressFor())['reply-to']!;
    await imap.deliver(write(to, { id: 'large', text: 'x'.repeat(30_000) }));
    await settled();
    expect([taken.length, await stored()]).to.equal([0, ['Re: large seen']]);
    expect((await rows()).map(({ is_finished: isFinished }) => isFinished)).to.include(true);
  });

  it('are tried again after a fault, and what was stored before is not stored again', async () => {
    const to = (await addressFor())['reply-to']!;
    const source = Buffer.from(write(to, { id: 'fault' }).replaceAll('\n', '\r\n'));
    const take = () => host.services.get(incomingRef).take({ source, isTooLarge: false });
    handle = async (mail) => {
      await host.database.write(() => mail.record(99));
      throw new Error('the process was killed here');
    };
    await expect(take()).to.reject('the process was killed here');
    handle = async () => undefined;
    expect([await take(), await take()]).to.equal(['handled', 'passedOver']);
    expect(taken.map(({ recordedId }) => recordedId)).to.equal([undefined, 99]);
    // forgotten when no mailbox holds it any more
    await host.database.write(() => rows().patch({ received_at: 1 }));
    await host.services.get(incomingRef).sweep();
    expect(await rows()).to.equal([]);
  });

  it('are read again when the server was away', async () => {
    const to = (await addressFor())['reply-to']!;
    await imap.stop();
    await imap.resume();
    await imap.deliver(write(to, { id: 'later' }));
    await until(() => taken.length === 1);
  });

  it('whether they can come is said by mortise doctor', async () => {
    const settings = { ...incomingMailSettings.validate(imap.settings).value! };
    const findings = async (change: Partial<IncomingMailSettings> = {}) => {
      const found: Finding[] = [];
      for await (const finding of checkMailbox({ ...settings, ...change }, true)) found.push(finding);
      return found.map(({ level, text }) => `${level} ${text.replace(String(imap.port), 'PORT')}`);
    };
    expect(await findings()).to.equal(['ok the mailbox INBOX at 127.0.0.1:PORT can be read']);
    expect(await findings({ ENABLED: false })).to.equal([]);
    expect((await findings({ HOST: '' })).join()).to.match(/^error .*HOST and REPLY_TO_ADDRESS are needed/);
    expect((await findings({ PASSWORD: 'wrong' })).join()).to.match(/^error .*cannot be read: .*[Aa]uth/);
    expect((await findings({ MAILBOX: 'Nowhere' })).join()).to.match(/^error .*Nowhere at .*cannot be read/);
    await imap.stop();
    expect((await findings()).join()).to.match(/^error .*cannot be read: .*ECONNREFUSED/);
    await imap.resume();
  });

  it('need an address with one place for the token before the @', () => {
    const refused = (address: string) =>
      incomingMailSettings.validate({ REPLY_TO_ADDRESS: address }).error !== undefined;
    expect(['incoming+%{token}@example.com', '%{token}@x', ''].map(refused)).to.equal([false, false, false]);
    expect(['incoming@example.com', 'a@%{token}.com', '%{token}%{token}@x', 'a %{token}@x'].map(refused)).to.equal([
      true,
      true,
      true,
      true,
    ]);
  });
});
