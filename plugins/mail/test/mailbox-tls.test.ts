import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { checkMailbox } from '../services/check.js';
import { Mailbox } from '../services/mailbox.js';
import { incomingMailSettings, type IncomingMailSettings } from '../settings.js';
import { ImapServer, until } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 29: the mailbox of answers over TLS', { skip: !ImapServer.isInstalled, timeout: 120_000 }, () => {
  let imap: ImapServer;

  before(async () => {
    imap = await ImapServer.start({ tls: true });
  });
  after(() => imap?.close());

  const settingsWith = (more: object) =>
    incomingMailSettings.validate({ ...imap.settings, ...more }).value as IncomingMailSettings;
  /** How each login went, as the server has it: `TLS`, or nothing. */
  const logins = () => [...imap.log.matchAll(/Login: user=<forge>.*/g)].map(([line]) => line.includes(', TLS'));
  const check = async (more: object) => {
    const findings: string[] = [];
    for await (const { level, text } of checkMailbox(settingsWith(more), true)) findings.push(`${level}: ${text}`);
    return findings;
  };

  it('is read over TLS, and over STARTTLS where the server has it', async () => {
    await imap.deliver('Subject: There\nMessage-ID: <there@example.org>\n\nHere.\n');
    for (const more of [{ USE_TLS: true, PORT: imap.tlsPort }, { USE_TLS: false }]) {
      const before = logins().length;
      const mailbox = await Mailbox.open(settingsWith({ ...more, SKIP_TLS_VERIFY: true }));
      const [uid] = await mailbox.unseen();
      const mail = await mailbox.read(uid!);
      expect(mail?.source.toString()).to.include('Subject: There');
      mailbox.close();
      await until(() => logins().length > before);
      expect(logins().slice(before)).to.equal([true]);
    }
  });

  it('is not read where nobody vouches for the certificate, on either way', async () => {
    for (const more of [{ USE_TLS: true, PORT: imap.tlsPort }, { USE_TLS: false }]) {
      const before = logins().length;
      const [finding] = await check(more);
      expect(finding).to.match(/^error: the mailbox INBOX at 127\.0\.0\.1:\d+ cannot be read: .*self[- ]signed/i);
      expect(logins().length).to.equal(before);
    }
    const findings = await check({ SKIP_TLS_VERIFY: true });
    expect(findings.map((text) => text.split(':')[0])).to.equal(['warning', 'ok']);
  });
});
