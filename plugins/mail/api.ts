/** The contract of `mail`: how other plugins write to people. Types, references and one check; no behaviour. */
export {
  type MailPart,
  type Mail,
  type Mailer,
  mailer,
  mailUndeliverable,
  deliverMail,
  isMailAddress,
} from './contract/mail.js';
export {
  type MailSubject,
  type MailAttachment,
  type IncomingMail,
  type IncomingMailHandler,
  incomingMailHandlers,
  mailSenders,
} from './contract/incoming.js';
