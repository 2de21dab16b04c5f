/** The contract of `auth-oauth2`: what a source of the kind `oauth2` is set to. */
export { providerKeys, type ProviderKey } from './services/providers.js';
export type { OAuth2Settings } from './services/source-settings.js';
