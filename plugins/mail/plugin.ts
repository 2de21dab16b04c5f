import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { incomingMailHandlers, mailSenders } from './contract/incoming.js';
import { deliverMail, forgetMailLimits, mailer, mailUndeliverable } from './contract/mail.js';
import {
  addressesRef,
  forgetIncomingMails,
  incomingRef,
  limitsRef,
  mailRef,
  registerIncoming,
  registerOutgoing,
  transportRef,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    mailer,
    mailUndeliverable,
    deliverMail,
    forgetMailLimits,
    incomingMailHandlers,
    mailSenders,
    mailRef,
    transportRef,
    limitsRef,
    addressesRef,
    incomingRef,
    forgetIncomingMails,
  ],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    registerOutgoing(host);
    registerIncoming(host);
    host.command(
      {
        name: 'admin send-test-mail',
        summary: 'Send a mail at once, to try the settings',
        options: [{ flags: '--to <address>', description: 'Whom to send it to', required: true }],
      },
      { mail: mailRef },
      async ({ args, print }, services) => {
        const address = String(args.to);
        await services.mail.test({ address });
        print(`A mail was sent to ${address}.`);
      },
    );
  },
});
