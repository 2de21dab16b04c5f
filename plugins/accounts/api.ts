/**
 * The contract of `accounts`: who has an account here, how plugins find and show them, who belongs to which organization,
 * and what happens to them. Types, references, events, points and the schema of the REST model; no behaviour.
 */
export * from './contract/account.js';
export * from './contract/accounts.js';
export * from './contract/actions-user.js';
export * from './contract/avatar-field.js';
export * from './contract/emails.js';
export * from './contract/events.js';
export * from './contract/features.js';
export * from './contract/keys.js';
export * from './contract/login-sources.js';
export * from './contract/mail.js';
export * from './contract/memberships.js';
export * from './contract/names.js';
export * from './contract/owner-confirmation.js';
export * from './contract/pages.js';
export * from './contract/resources.js';
export * from './contract/user-field.js';
