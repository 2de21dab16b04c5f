/** The contract of `oauth2-provider`: applications that act for people here (RFC 6749, OpenID Connect Core 1.0). */
export {
  type OAuth2Application,
  oauth2Applications,
  type OAuth2Groups,
  oauth2Groups,
} from './contract/oauth2-provider.js';
