import {
  database,
  defineJob,
  defineService,
  events,
  jobs,
  languages,
  locks,
  site,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { ThreadPool } from '@mortise/plugin-sdk/threads';
import { incomingMailHandlers, mailSenders } from './contract/incoming.js';
import { deliverMail, forgetMailLimits, mailer } from './contract/mail.js';
import { checkMail, checkMailbox } from './services/check.js';
import { IncomingMailService } from './services/incoming-mail.js';
import { Limits } from './services/limits.js';
import { MailboxReader } from './services/mailbox-reader.js';
import { attempts, MailService, pauseAfter } from './services/mailer.js';
import { MailEncryption } from './services/mail-encryption.js';
import { ReplyAddresses } from './services/reply-addresses.js';
import { Transport } from './services/transport.js';
import { incomingMailSettings, mailSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
export const mailRef = defineService<MailService>('mail.service');
export const limitsRef = defineService<Limits>('mail.limits');
export const transportRef = defineService<Transport>('mail.transport');
export const addressesRef = defineService<ReplyAddresses>('mail.replyAddresses');
export const incomingRef = defineService<IncomingMailService>('mail.incoming');
export const forgetIncomingMails = defineJob<Record<string, never>>('mail.forgetIncoming');

/** A mail takes some milliseconds; what takes longer was made to. */
const parsing = { threads: 1, memory: 512, time: 20_000 };

export function registerOutgoing(host: PluginHost): void {
  const settings = host.settings('mailer', mailSettings);
  host.service(transportRef, { site }, (services) => new Transport(settings, services.site.workDir, host.log));
  host.service(
    limitsRef,
    { database, site },
    (services) => new Limits(services.database, services.site.secret('mail.limits')),
  );
  host.service(
    mailRef,
    { addresses: addressesRef, database, events, jobs, languages, limits: limitsRef, site, transport: transportRef },
    (services) =>
      new MailService({ ...services, settings, encryption: new MailEncryption(services.site.secret('mail')) }),
  );
  host.service(mailer, { mail: mailRef }, (services) => services.mail);
  host.job(
    deliverMail,
    // one slow server leaves places for the others
    { attempts, backoff: pauseAfter, concurrency: 4, perGroup: 2, timeoutMs: 10 * 60_000 },
    { mail: mailRef },
    ({ sealed }, services, context) => services.mail.deliver(sealed, context),
  );
  host.job(forgetMailLimits, {}, { limits: limitsRef }, (_payload, services) => services.limits.sweep());
  host.schedule('limits', '41 2 * * *', forgetMailLimits, {}, { title: t.later('schedule.limits') });
  host.doctor('mail', { transport: transportRef }, (services) => checkMail(settings, services.transport));
}

export function registerIncoming(host: PluginHost): void {
  const settings = host.settings('email.incoming', incomingMailSettings);
  const handlers = host.point(incomingMailHandlers);
  const senders = host.point(mailSenders);
  const threads = new ThreadPool(new URL('./services/parse-mail-thread.js', import.meta.url), parsing);
  host.service(
    addressesRef,
    { site },
    (services) => new ReplyAddresses(settings, services.site.secret('mail.replyAddresses')),
  );
  host.service(
    incomingRef,
    { addresses: addressesRef, database, mailer },
    (services) =>
      new IncomingMailService({
        ...services,
        handlers,
        senders,
        log: host.log,
        maxBytes: settings.MAXIMUM_MESSAGE_SIZE,
        parse: (source) => threads.run({ source }),
      }),
  );
  host.job(forgetIncomingMails, {}, { incoming: incomingRef }, (_payload, services) => services.incoming.sweep());
  host.schedule('incoming', '47 2 * * *', forgetIncomingMails, {}, { title: t.later('schedule.incoming') });
  host.doctor('incoming-mail', { mailer }, (services) => checkMailbox(settings, services.mailer.isEnabled));
  host.onStart({ incoming: incomingRef, locks }, async (services) => {
    const reader = new MailboxReader({ ...services, settings, log: host.log });
    const reading = reader.run();
    return async () => {
      reader.stop();
      await reading;
      await threads.close();
    };
  });
}
