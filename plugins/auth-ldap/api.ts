/** The contract of `auth-ldap`: what a source of its kinds is set to. */
export type { DirectorySettings, Security } from './services/settings.js';
