import { Joi } from '@mortise/plugin-sdk';
import { supported, type AlgorithmKind } from './services/algorithms.js';

/** Keys of `[server]` that are about SSH. Times are milliseconds. */
export interface SshSettings {
  readonly DISABLE_SSH: boolean;
  readonly START_SSH_SERVER: boolean;
  readonly SSH_DOMAIN: string;
  readonly SSH_PORT: number;
  readonly SSH_LISTEN_HOST: string;
  readonly SSH_LISTEN_PORT: number | '';
  readonly SSH_USER: string;
  readonly BUILTIN_SSH_SERVER_USER: string;
  readonly SSH_SERVER_HOST_KEYS: readonly string[];
  readonly SSH_SERVER_CIPHERS: readonly string[];
  readonly SSH_SERVER_KEY_EXCHANGES: readonly string[];
  readonly SSH_SERVER_MACS: readonly string[];
  readonly SSH_SERVER_USE_PROXY_PROTOCOL: boolean;
  readonly SSH_LOGIN_GRACE_TIME: number;
  readonly SSH_IDLE_TIMEOUT: number;
  readonly SSH_DRAIN_TIME: number;
  readonly SSH_MAX_UNAUTHENTICATED: number;
  readonly SSH_MAX_IDLE_PER_ADDRESS: number;
  readonly SSH_MAX_SESSIONS: number;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `90s`, `1m30s` or plain seconds → milliseconds. */
function span(fallback: string) {
  const read = (text: string | number): number | undefined => {
    if (/^\d+$/.test(String(text))) return Number(text) * 1000;
    if (!/^(\d+(ms|s|m|h))+$/.test(String(text))) return undefined;
    const parts = [...String(text).matchAll(/(\d+)(ms|s|m|h)/g)];
    return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0), 0);
  };
  return Joi.any()
    .custom((value: string | number, helpers) => read(value) ?? helpers.error('any.invalid'))
    .default(read(fallback))
    .meta({ default: fallback }) as unknown as Joi.NumberSchema<number>;
}

const words = (text: unknown): string[] =>
  String(text)
    .split(/[\s,]+/)
    .filter(Boolean);

function list(fallback: string, kind?: AlgorithmKind) {
  return Joi.any()
    .custom((value: unknown, helpers) => {
      const names = Array.isArray(value) ? (value as string[]) : words(value);
      const usable = kind ? names.filter((name) => supported(kind).includes(name)) : names;
      if (kind && usable.length < names.length)
        helpers.warn('ssh.unknown', {
          left: names.filter((name) => !usable.includes(name)).join(', '),
          known: supported(kind).join(', '),
        });
      return usable.length > 0 ? usable : words(fallback);
    })
    .messages({ 'ssh.unknown': 'names {{#left}}, passed over: what is known here is {{#known}}' })
    .default(words(fallback))
    .meta({ default: fallback, type: 'text' }) as unknown as Joi.ArraySchema<readonly string[]>;
}

const userName = () => Joi.string().pattern(/^[A-Za-z_][A-Za-z0-9._-]{0,63}$/);

export const sshSettings = Joi.object<SshSettings>({
  DISABLE_SSH: Joi.boolean().default(false).description('No SSH at all: no server, and no addresses shown.'),
  START_SSH_SERVER: Joi.boolean().default(true).description('Serve git over SSH from this process.'),
  SSH_DOMAIN: Joi.string().allow('').default('').description('Host in SSH addresses; empty: that of ROOT_URL.'),
  SSH_PORT: Joi.number().port().default(2222).description('Port in SSH addresses; 22 is left out of them.'),
  SSH_LISTEN_HOST: Joi.string().allow('').default('').description('Address to listen on; empty: all.'),
  SSH_LISTEN_PORT: Joi.number()
    .port()
    .allow('')
    .default('')
    .description('Port to listen on, where it differs from SSH_PORT (behind a forwarder, or for want of rights).'),
  SSH_USER: userName().allow('').default('').description('User in SSH addresses; empty: BUILTIN_SSH_SERVER_USER.'),
  BUILTIN_SSH_SERVER_USER: userName().default('git').description('The one user name that the server takes.'),
  SSH_SERVER_HOST_KEYS: list('ssh/host.ed25519, ssh/host.ecdsa, ssh/host.rsa').description(
    'Files with private host keys, relative to the work directory; one named *.ed25519, *.ecdsa or *.rsa is made when it is missing.',
  ),
  SSH_SERVER_CIPHERS: list('', 'cipher').description('Allowed ciphers, separated by commas; empty: modern ones.'),
  SSH_SERVER_KEY_EXCHANGES: list('', 'kex').description('Allowed key exchanges; empty: modern ones.'),
  SSH_SERVER_MACS: list('', 'hmac').description('Allowed message authentication codes; empty: modern ones.'),
  SSH_SERVER_USE_PROXY_PROTOCOL: Joi.boolean()
    .default(false)
    .description(
      'Each connection begins with a header of the PROXY protocol, as USE_PROXY_PROTOCOL has it for HTTP; its timeout and what is taken are the same.',
    ),
  SSH_LOGIN_GRACE_TIME: span('60s').description('How long a connection may take to sign in.'),
  SSH_IDLE_TIMEOUT: span('15m').description('How long nothing may come or go before a connection is ended.'),
  SSH_DRAIN_TIME: span('30s').description('How long open commands may take after a stop was asked for.'),
  SSH_MAX_UNAUTHENTICATED: Joi.number()
    .integer()
    .min(1)
    .default(200)
    .description('Connections of one process that are not signed in yet; more are turned away.'),
  SSH_MAX_IDLE_PER_ADDRESS: Joi.number()
    .integer()
    .min(0)
    .default(50)
    .description(
      'Connections of one address at one process that are not signed in or run no command; the oldest goes for one more. 0: any, for instance behind a forwarder that all clients come through.',
    ),
  SSH_MAX_SESSIONS: Joi.number()
    .integer()
    .min(1)
    .default(10)
    .description('Commands that one connection may run at the same time.'),
});

interface AddressSettings {
  readonly USE_COMPAT_SSH_URI: boolean;
}

/** `[repository]` */
export const addressSettings = Joi.object<AddressSettings>({
  USE_COMPAT_SSH_URI: Joi.boolean()
    .default(false)
    .description('SSH addresses begin with ssh:// on port 22 too; otherwise only where they name another port.'),
});
