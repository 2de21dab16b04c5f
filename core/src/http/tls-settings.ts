import { getCiphers, type SecureContextOptions } from 'node:tls';
import { Joi, splitList } from '@mortise/plugin-sdk';

type Version = 'TLSv1.2' | 'TLSv1.3';

export interface TlsSettings {
  SSL_MIN_VERSION: Version;
  SSL_MAX_VERSION: Version | '';
  /** As OpenSSL calls them. */
  SSL_CURVE_PREFERENCES: readonly string[];
  /** As OpenSSL calls them; those of TLS 1.3 are always on. */
  SSL_CIPHER_SUITES: readonly string[];
}

const curves: Readonly<Record<string, string>> = {
  x25519: 'X25519',
  p256: 'P-256',
  curvep256: 'P-256',
  p384: 'P-384',
  curvep384: 'P-384',
  p521: 'P-521',
  curvep521: 'P-521',
};

/** `ecdhe_rsa_with_aes_128_gcm_sha256`, as RFC 5289 has it, is `ECDHE-RSA-AES128-GCM-SHA256`; undefined: not known here. */
function cipherNamed(name: string): string | undefined {
  const [exchange, cipher] = name.replace(/^tls_(?=.*_with_)/, '').split('_with_');
  const text =
    cipher === undefined
      ? name
      : [
          ...(exchange === 'rsa' ? [] : [exchange]),
          cipher
            .replace(/^aes_/, 'aes')
            .replace('_cbc', '')
            .replace(/^(chacha20_poly1305)_sha256$/, '$1'),
        ]
          .join('-')
          .replaceAll('_', '-');
  return getCiphers().includes(text) ? text.toUpperCase() : undefined;
}

/** Names that compatible servers know, by commas; those that are not known here are passed over. */
const names = (kind: string, find: (name: string) => string | undefined, description: string) =>
  Joi.any()
    .custom((value: string, helpers) => {
      const given = splitList(value.toLowerCase());
      const left = given.filter((name) => !find(name));
      if (left.length > 0) helpers.warn('tls.unknown', { left: left.join(', ') });
      return given.flatMap((name) => find(name) ?? []);
    })
    .messages({ 'tls.unknown': `names {{#left}}, passed over: no ${kind} of this server` })
    .default([])
    .description(description)
    .meta({ default: '', type: 'text' }) as unknown as Joi.ArraySchema<readonly string[]>;

const versions = ['TLSv1.2', 'TLSv1.3'] as const;
/** RFC 8996 says why. */
const older = { compatible: [{ from: /^(ssl|tls)/i, to: 'TLSv1.2' }] };

/** `[server]`, what is spoken with PROTOCOL = https. */
export const tlsSettings = Joi.object<TlsSettings>({
  SSL_MIN_VERSION: Joi.string()
    .valid(...versions)
    .default('TLSv1.2')
    .description('Oldest version of TLS with PROTOCOL = https')
    .meta(older),
  SSL_MAX_VERSION: Joi.string()
    .valid('', ...versions)
    .default('')
    .description('Newest version of TLS; empty: the newest that there is')
    .meta(older),
  SSL_CURVE_PREFERENCES: names(
    'curve',
    (name) => curves[name],
    'Curves for the exchange of keys, by commas, the best first: X25519, P256, P384, P521; empty: those of OpenSSL',
  ),
  SSL_CIPHER_SUITES: names(
    'cipher',
    cipherNamed,
    'Ciphers of TLS 1.2, by commas, the best first, such as ecdhe_rsa_with_aes_128_gcm_sha256; empty: those of Node.js. TLS 1.3 has its own',
  ),
});

/** What a server with these settings speaks. Throws where nothing is left. */
export function tlsOptions(settings: Readonly<TlsSettings>): SecureContextOptions {
  const { SSL_MIN_VERSION: minVersion, SSL_MAX_VERSION: max, SSL_CURVE_PREFERENCES, SSL_CIPHER_SUITES } = settings;
  const maxVersion = max || 'TLSv1.3';
  if (maxVersion < minVersion)
    throw new Error(`[server] SSL_MAX_VERSION = ${maxVersion} is older than SSL_MIN_VERSION = ${minVersion}`);
  // without those of TLS 1.3 Node.js switches that off
  const ofTls13 = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];
  return {
    minVersion,
    maxVersion,
    ...(SSL_CURVE_PREFERENCES.length > 0 && { ecdhCurve: SSL_CURVE_PREFERENCES.join(':') }),
    ...(SSL_CIPHER_SUITES.length > 0 && { ciphers: [...ofTls13, ...SSL_CIPHER_SUITES].join(':') }),
  };
}
