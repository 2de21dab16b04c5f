import { database, definePlugin, fromPackage, defineService, events, jobs, languages, site } from '@mortise/plugin-sdk';
import { deliverMail, forgetMailLimits, mailer, mailUndeliverable } from './contract/mail.js';
import { checkMail } from './services/check.js';
import { Limits } from './services/limits.js';
import { attempts, MailService, pauseAfter } from './services/mailer.js';
import { MailEncryption } from './services/mail-encryption.js';
import { Transport } from './services/transport.js';
import { mailSettings } from './settings.js';

const mail = defineService<MailService>('mail.service');
const limits = defineService<Limits>('mail.limits');
const transport = defineService<Transport>('mail.transport');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [mailer, mailUndeliverable, deliverMail, forgetMailLimits, mail, transport, limits],

  register(host) {
    const settings = host.settings('mailer', mailSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.deprecatedSetting({
      section: 'mailer',
      key: 'SEND_BUFFER_LEN',
      replacement: 'nothing: mails wait in the database',
    });
    host.service(transport, { site }, (services) => new Transport(settings, services.site.workDir, host.log));
    host.service(
      limits,
      { database, site },
      (services) => new Limits(services.database, services.site.secret('mail.limits')),
    );
    host.service(
      mail,
      { database, events, jobs, languages, limits, site, transport },
      (services) =>
        new MailService({ ...services, settings, encryption: new MailEncryption(services.site.secret('mail')) }),
    );
    host.service(mailer, { mail }, (services) => services.mail);

    host.job(
      deliverMail,
      // one slow server leaves places for the others
      { attempts, backoff: pauseAfter, concurrency: 4, perGroup: 2, timeoutMs: 10 * 60_000 },
      { mail },
      ({ sealed }, services, context) => services.mail.deliver(sealed, context),
    );
    host.job(forgetMailLimits, {}, { limits }, (_payload, services) => services.limits.sweep());
    host.schedule('limits', '41 2 * * *', forgetMailLimits, {});
    host.doctor('mail', { transport }, (services) => checkMail(settings, services.transport));
    host.command(
      {
        name: 'admin send-test-mail',
        summary: 'Send a mail at once, to try the settings',
        options: [{ flags: '--to <address>', description: 'Whom to send it to', required: true }],
      },
      { mail },
      async ({ args, print }, services) => {
        const address = String(args.to);
        await services.mail.test({ address });
        print(`A mail was sent to ${address}.`);
      },
    );
  },
});
