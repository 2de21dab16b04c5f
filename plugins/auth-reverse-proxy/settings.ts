import { Joi } from '@mortise/plugin-sdk';

export interface ProxySettings {
  ENABLE_REVERSE_PROXY_AUTHENTICATION: boolean;
  ENABLE_REVERSE_PROXY_AUTHENTICATION_API: boolean;
  ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: boolean;
  ENABLE_REVERSE_PROXY_EMAIL: boolean;
  ENABLE_REVERSE_PROXY_FULL_NAME: boolean;
}

/** `[service]`, the part about proxies that sign people in (RPX-01). */
export const proxySettings = Joi.object<ProxySettings, true>({
  ENABLE_REVERSE_PROXY_AUTHENTICATION: Joi.boolean()
    .default(false)
    .description('On pages and for git, sign in whoever a trusted proxy names in a header.'),
  ENABLE_REVERSE_PROXY_AUTHENTICATION_API: Joi.boolean().default(false).description('The same for the API.'),
  ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: Joi.boolean()
    .default(false)
    .description('Create accounts for people who do not have one.'),
  ENABLE_REVERSE_PROXY_EMAIL: Joi.boolean()
    .default(false)
    .description(
      'Addresses from the proxy count: a new account has the address that the proxy sends, and an address alone, or as the user name, signs in the account that has confirmed it.',
    ),
  ENABLE_REVERSE_PROXY_FULL_NAME: Joi.boolean()
    .default(false)
    .description('A new account has the full name that the proxy tells.'),
});

export interface HeaderSettings {
  REVERSE_PROXY_AUTHENTICATION_USER: string;
  REVERSE_PROXY_AUTHENTICATION_EMAIL: string;
  REVERSE_PROXY_AUTHENTICATION_FULL_NAME: string;
  REVERSE_PROXY_LOGOUT_REDIRECT: string;
}

const header = () => Joi.string().pattern(/^[\w!#$%&'*+.^`|~-]{1,100}$/);

/** `[security]`, the headers of such a proxy. */
export const headerSettings = Joi.object<HeaderSettings, true>({
  REVERSE_PROXY_AUTHENTICATION_USER: header().default('X-WEBAUTH-USER').description('Header with the user name.'),
  REVERSE_PROXY_AUTHENTICATION_EMAIL: header().default('X-WEBAUTH-EMAIL').description('Header with the email address.'),
  REVERSE_PROXY_AUTHENTICATION_FULL_NAME: header()
    .default('X-WEBAUTH-FULLNAME')
    .description('Header with the full name, percent-encoded where it is not ASCII.'),
  REVERSE_PROXY_LOGOUT_REDIRECT: Joi.string()
    .allow('')
    .uri({ scheme: ['http', 'https'], allowRelative: true })
    .default('')
    .description('Address at which the proxy signs people out; empty: the home page.'),
});
