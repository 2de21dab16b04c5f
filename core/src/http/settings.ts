import { durationSetting, Joi } from '@mortise/plugin-sdk';
import { securityContact } from './security-txt.js';
import { tlsSettings, type TlsSettings } from './tls-settings.js';

const flag = (value: boolean) => Joi.boolean().default(value);
const text = (value: string) => Joi.string().allow('').default(value);
const count = (value: number) => Joi.number().integer().min(0).default(value);

export interface ServerSettings {
  PROTOCOL: 'http' | 'https';
  DOMAIN: string;
  ROOT_URL: string;
  HTTP_ADDR: string;
  HTTP_PORT: number;
  CERT_FILE: string;
  KEY_FILE: string;
  ENABLE_GZIP: boolean;
  GRACEFUL_HAMMER_TIME: number;
  STATIC_CACHE_TIME: number;
  MAX_JSON_BODY: number;
  REQUEST_TIMEOUT: number;
  LANDING_PAGE: string;
  USE_PROXY_PROTOCOL: boolean;
  PROXY_PROTOCOL_HEADER_TIMEOUT: number;
  PROXY_PROTOCOL_ACCEPT_UNKNOWN: boolean;
  PROXY_PROTOCOL_TLS_BRIDGING: boolean;
  REDIRECT_OTHER_PORT: boolean;
  PORT_TO_REDIRECT: number;
  REDIRECTOR_USE_PROXY_PROTOCOL: boolean;
}

/** `[server]`: where to listen, and how. */
export const serverSettings = Joi.object<ServerSettings, true>({
  PROTOCOL: Joi.string()
    .valid('http', 'https')
    .default('http')
    .description('Protocol spoken on HTTP_PORT')
    .meta({ compatible: [{ from: /^(http\+unix|unix|fcgi|fcgi\+unix)$/i, to: 'http' }] }),
  DOMAIN: Joi.string().default('localhost').description('Name of this server'),
  ROOT_URL: text('').description(
    'Public address, with a sub-path where a proxy puts one; empty: made from DOMAIN and HTTP_PORT',
  ),
  HTTP_ADDR: Joi.string()
    .pattern(/^[^/]*$/)
    .default('0.0.0.0')
    .description('Address to listen on')
    .meta({ compatible: [{ from: /\//, to: '127.0.0.1' }] }),
  HTTP_PORT: Joi.number().port().default(3000).description('Port to listen on; 0 takes a free one'),
  CERT_FILE: text('https/cert.pem').description('Certificate for PROTOCOL = https; read again when it changes'),
  KEY_FILE: text('https/key.pem').description('Private key for PROTOCOL = https'),
  ENABLE_GZIP: flag(true).description('Compress answers'),
  GRACEFUL_HAMMER_TIME: durationSetting('60s').description(
    'How long open requests may take after a stop was asked for',
  ),
  STATIC_CACHE_TIME: durationSetting('6h').description(
    'How long browsers keep files that carry no hash in their address',
  ),
  MAX_JSON_BODY: count(2 * 1024 * 1024).description('Largest JSON or form body in bytes, unless a route allows more'),
  REQUEST_TIMEOUT: durationSetting('5m').description('Longest time to receive a JSON or form body'),
  LANDING_PAGE: Joi.string()
    .pattern(/^(?:home|explore|organizations|login|\/(?![/\\])[!-~]*)$/)
    .message('must be home, explore, organizations, login or a path such as /ada/engine')
    .default('home')
    .description(
      'What visitors who are not signed in see at the root: home, explore, organizations, login, or the page of a path such as /ada/engine',
    )
    .meta({ compatible: [{ from: /^[^/]/, to: 'home' }] }),
  USE_PROXY_PROTOCOL: flag(false).description(
    'Each connection to HTTP_PORT begins with a header of the PROXY protocol, version 1 or 2, from one of [security] REVERSE_PROXY_TRUSTED_PROXIES; others are closed',
  ),
  PROXY_PROTOCOL_HEADER_TIMEOUT: durationSetting('5s')
    .custom((value: number, helpers) => (value > 0 ? value : helpers.error('number.min')))
    .messages({ 'number.min': 'must be more than 0' })
    .description('How long such a header may take'),
  PROXY_PROTOCOL_ACCEPT_UNKNOWN: flag(false).description(
    'Take headers that name no client too; its address is then 0.0.0.0, which is never trusted',
  ),
  PROXY_PROTOCOL_TLS_BRIDGING: flag(false).description(
    'With PROTOCOL = https, the header comes within TLS: the proxy speaks TLS itself',
  ),
  REDIRECT_OTHER_PORT: flag(false).description(
    'With PROTOCOL = https, open PORT_TO_REDIRECT too, which leads from http to ROOT_URL; always so with ENABLE_ACME',
  ),
  PORT_TO_REDIRECT: Joi.number().port().default(80).description('Port of REDIRECT_OTHER_PORT; 0 takes a free one'),
  REDIRECTOR_USE_PROXY_PROTOCOL: flag(false).description('USE_PROXY_PROTOCOL of PORT_TO_REDIRECT'),
});

export interface ApiSettings {
  ENABLE_SWAGGER: boolean;
  MAX_RESPONSE_ITEMS: number;
  DEFAULT_PAGING_NUM: number;
}

/** `[api]` */
export const apiSettings = Joi.object<ApiSettings, true>({
  ENABLE_SWAGGER: flag(true).description('Serve the API documents and their viewer'),
  MAX_RESPONSE_ITEMS: Joi.number().integer().min(1).default(50).description('Largest page of a list'),
  DEFAULT_PAGING_NUM: Joi.number().integer().min(1).default(30).description('Page size when a request names none'),
});

export interface CorsSettings {
  ENABLED: boolean;
  ALLOW_DOMAIN: string;
  METHODS: string;
  MAX_AGE: number;
  ALLOW_CREDENTIALS: boolean;
  HEADERS: string;
}

/** `[cors]`: which other origins may use the API from a browser. */
export const corsSettings = Joi.object<CorsSettings, true>({
  ENABLED: flag(false).description('Allow requests from other origins'),
  ALLOW_DOMAIN: Joi.string().default('*').description('Origins or host names, separated by commas; * for all'),
  METHODS: Joi.string().default('GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS').description('Allowed methods'),
  MAX_AGE: durationSetting('10m').description('How long a browser may keep the permission'),
  ALLOW_CREDENTIALS: flag(false).description('Allow cookies; not together with ALLOW_DOMAIN = *'),
  HEADERS: Joi.string().default('Content-Type,User-Agent').description('Allowed request headers besides Authorization'),
});

export interface SignInViewSettings {
  REQUIRE_SIGNIN_VIEW: 'true' | 'false' | 'expensive';
}

/** The key of `[service]` that the kernel enforces (GEN-12, GEN-13). */
export const signInViewSettings = Joi.object<SignInViewSettings, true>({
  REQUIRE_SIGNIN_VIEW: Joi.string()
    .lowercase()
    .replace(/^(?:1|t|y|yes|on)$/, 'true')
    .replace(/^(?:0|f|n|no|off)$/, 'false')
    .valid('true', 'false', 'expensive')
    .default('false')
    .description('true: nothing without sign-in; expensive: costly pages only signed in; false: open'),
});

export interface SecuritySettings {
  X_FRAME_OPTIONS: string;
  X_CONTENT_TYPE_OPTIONS: string;
  CONTENT_SECURITY_POLICY_GENERAL: string;
  REVERSE_PROXY_LIMIT: number;
  REVERSE_PROXY_TRUSTED_PROXIES: string;
  CONTACT: string;
}

/** The keys of `[security]` that HTTP answers carry. */
export const securitySettings = Joi.object<SecuritySettings, true>({
  X_FRAME_OPTIONS: text('SAMEORIGIN').description('Value of X-Frame-Options; empty or `unset` leaves it out'),
  X_CONTENT_TYPE_OPTIONS: text('nosniff').description(
    'Value of X-Content-Type-Options; empty or `unset` leaves it out',
  ),
  CONTENT_SECURITY_POLICY_GENERAL: text('').description(
    'Replaces the content security policy of pages; `unset` leaves it out',
  ),
  REVERSE_PROXY_LIMIT: count(1).description('How many proxies in front may say who the client is; 0: none'),
  REVERSE_PROXY_TRUSTED_PROXIES: text('127.0.0.0/8,::1/128').description('Networks of those proxies; * for any'),
  CONTACT: securityContact.description(
    'Where people report vulnerabilities of this site: email, https: or tel: addresses, separated by commas, shown at `/.well-known/security.txt` (RFC 9116); empty: the page does not exist',
  ),
});

export interface CookieSettings {
  COOKIE_SECURE?: boolean;
  SAME_SITE: 'lax' | 'strict' | 'none';
}

/** The keys of `[session]` that all cookies carry. */
export const cookieSettings = Joi.object<CookieSettings, true>({
  COOKIE_SECURE: Joi.boolean().description(
    'Browsers send cookies over HTTPS only; empty: where ROOT_URL begins with https',
  ),
  SAME_SITE: Joi.string()
    .lowercase()
    .valid('lax', 'strict', 'none')
    .default('lax')
    .description(
      'With which requests from other sites browsers send cookies: lax (links), strict (none) or none (all, such as pages in frames; needs HTTPS)',
    ),
});

export interface MetricsSettings {
  ENABLED: boolean;
  TOKEN: string;
}

/** `[metrics]` */
export const metricsSettings = Joi.object<MetricsSettings, true>({
  ENABLED: flag(false).description('Serve /metrics for Prometheus'),
  TOKEN: text('').description('Bearer token that /metrics asks for; empty: none'),
});

export interface OverloadSettings {
  ENABLED: boolean;
  MAX_INFLIGHT: number;
  MAX_WAITING: number;
  TARGET_WAIT_TIME: number;
}

/** `[qos]`: what happens when there is more to do than can be done (LIM-15). */
export const overloadSettings = Joi.object<OverloadSettings, true>({
  ENABLED: flag(false).description('Let requests wait, and answer 503 to the least urgent, when there are too many'),
  MAX_INFLIGHT: count(0).description('Requests that one process works on at once; 0: four for each processor core'),
  MAX_WAITING: count(100).description('Requests that may wait for their turn'),
  TARGET_WAIT_TIME: durationSetting('250ms').description(
    'How long the least urgent requests (of robots, say) wait at most; others wait longer',
  ),
});

export interface UiSettings {
  DEFAULT_THEME: 'auto' | 'light' | 'dark';
}

/** The keys of `[ui]` that the page shell uses. */
export const uiSettings = Joi.object<UiSettings, true>({
  DEFAULT_THEME: Joi.string()
    .lowercase()
    .valid('auto', 'light', 'dark')
    .default('auto')
    .description('Theme of visitors, and of accounts that have chosen none')
    .meta({
      compatible: [
        { from: /^(?:(?:gitea|forgejo)-light|gitea)$/i, to: 'light' },
        { from: /^(?:(?:gitea|forgejo)-dark|arc-green)$/i, to: 'dark' },
        { from: /./, to: 'auto' },
      ],
    }),
});

export interface MetaSettings {
  AUTHOR: string;
  DESCRIPTION: string;
  KEYWORDS: string;
}

/** `[ui.meta]`: what the head of every page says to search engines. */
export const metaSettings = Joi.object<MetaSettings, true>({
  AUTHOR: text('').description('Author that pages name; empty: none'),
  DESCRIPTION: text('').description('Description of pages that have none of their own; empty: none'),
  KEYWORDS: text('').description('Keywords that pages name, separated by commas; empty: none'),
});

export interface FooterSettings {
  SHOW_FOOTER_VERSION: boolean;
  SHOW_FOOTER_POWERED_BY: boolean;
}

/** `[other]`: what the end of every page says. */
export const footerSettings = Joi.object<FooterSettings, true>({
  SHOW_FOOTER_VERSION: flag(true).description('The end of every page says the version'),
  SHOW_FOOTER_POWERED_BY: flag(true).description('The end of every page says that it was made with Mortise'),
});

export interface LanguageSettings {
  LANGS: string;
  NAMES: string;
}

/** `[i18n]`: languages of pages. */
export const languageSettings = Joi.object<LanguageSettings, true>({
  LANGS: Joi.string()
    .allow('')
    .default('')
    .description(
      'Languages to offer, separated by commas, the default first; those that nothing brings texts for are passed over; empty: all (en-US,de-DE,zh-CN and those of language packs)',
    ),
  NAMES: Joi.string()
    .allow('')
    .default('')
    .description('What they are called, in the same order; empty: what their speakers call them'),
});

/** Sections and schemas of the HTTP module, for the host to read: `settings[name] = values`. */
export const httpSettingsSections = [
  { name: 'server', section: 'server', schema: serverSettings },
  { name: 'tls', section: 'server', schema: tlsSettings },
  { name: 'api', section: 'api', schema: apiSettings },
  { name: 'cors', section: 'cors', schema: corsSettings },
  { name: 'service', section: 'service', schema: signInViewSettings },
  { name: 'security', section: 'security', schema: securitySettings },
  { name: 'cookies', section: 'session', schema: cookieSettings },
  { name: 'metrics', section: 'metrics', schema: metricsSettings },
  { name: 'overload', section: 'qos', schema: overloadSettings },
  { name: 'ui', section: 'ui', schema: uiSettings },
  { name: 'meta', section: 'ui.meta', schema: metaSettings },
  { name: 'footer', section: 'other', schema: footerSettings },
  { name: 'i18n', section: 'i18n', schema: languageSettings },
] as const;

/** Values of all sections; see {@link httpSettingsSections}. */
export interface HttpSettings {
  readonly server: Readonly<ServerSettings>;
  readonly tls: Readonly<TlsSettings>;
  readonly api: Readonly<ApiSettings>;
  readonly cors: Readonly<CorsSettings>;
  readonly service: Readonly<SignInViewSettings>;
  readonly security: Readonly<SecuritySettings>;
  readonly cookies: Readonly<CookieSettings>;
  readonly metrics: Readonly<MetricsSettings>;
  readonly overload: Readonly<OverloadSettings>;
  readonly ui: Readonly<UiSettings>;
  readonly meta: Readonly<MetaSettings>;
  readonly footer: Readonly<FooterSettings>;
  readonly i18n: Readonly<LanguageSettings>;
}

/** All defaults; for tests and one-off servers. */
export function defaultHttpSettings(): HttpSettings {
  const values: Record<string, unknown> = {};
  for (const { name, schema } of httpSettingsSections) {
    const checked = (schema as Joi.ObjectSchema).validate({});
    if (checked.error) throw checked.error;
    values[name] = checked.value;
  }
  return values as unknown as HttpSettings;
}
