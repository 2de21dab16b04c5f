/** Addresses of other servers that users name: what they may be, and to which hosts connections are allowed. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { remoteProblem, type RemoteAddress } from '../api.js';
import type { RemoteProtocol } from '../contract/remotes.js';
import { t } from '../texts/index.js';

const defaultPorts: Readonly<Record<RemoteProtocol, number>> = { http: 80, https: 443, git: 9418, ssh: 22 };
const allProtocols = Object.keys(defaultPorts) as RemoteProtocol[];
const maxLength = 2048;

const invalidAddress = () => remoteProblem('address', t.later('error.remote.address'));

/** Throws 422 unless it is an address of one of these protocols. Local paths and helpers (`ext::`) are none. */
export function parseRemoteAddress(text: string, protocols: readonly RemoteProtocol[] = allProtocols): RemoteAddress {
  // oxlint-disable-next-line no-control-regex
  if (!text || text.length > maxLength || /[\u0000-\u0020\u007f]|%[01][0-9a-f]|%7f/i.test(text)) throw invalidAddress();
  if (text.startsWith('-') || /^[\w+.-]*::/.test(text)) throw invalidAddress();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? parseUrl(text) : parseScp(text);
  // what is escaped is longer
  if (address.url.length > maxLength) throw invalidAddress();
  if (!protocols.includes(address.protocol))
    throw remoteProblem(
      'address',
      t.later('error.remote.protocol', { protocol: address.protocol, protocols: protocols.join(', ') }),
    );
  return address;
}

function parseUrl(text: string): RemoteAddress {
  const [, scheme = ''] = /^([a-z0-9+.-]+):/i.exec(text) ?? [];
  const protocol = scheme.toLowerCase() as RemoteProtocol;
  if (!allProtocols.includes(protocol))
    throw remoteProblem(
      'address',
      t.later('error.remote.protocol', { protocol: scheme.slice(0, 20), protocols: allProtocols.join(', ') }),
    );
  // the parser knows hosts of http only as what they are
  const isHttp = protocol === 'http' || protocol === 'https';
  const source = isHttp ? text : `http${text.slice(scheme.length)}`;
  if (!URL.canParse(source)) throw invalidAddress();
  const url = new URL(source);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (!host || host.startsWith('-') || username.startsWith('-') || url.hash || /^\/+-/.test(url.pathname))
    throw invalidAddress();
  // in the address that git gets it would be read as a host and a path
  if (protocol === 'ssh' && username && !/^[\w.+-]+$/.test(username)) throw invalidAddress();
  const written = /^\w+:\/\/[^/]*:(\d+)(?:[/?]|$)/.exec(source)?.[1];
  const port = Number(written ?? defaultPorts[protocol]);
  if (port < 1 || port > 65_535) throw invalidAddress();
  const shownPort = port === defaultPorts[protocol] ? '' : `:${port}`;
  const user = protocol === 'ssh' && username ? `${encodeURIComponent(username)}@` : '';
  const path = `${url.pathname}${url.search}`;
  return {
    protocol,
    host,
    port,
    url: `${protocol}://${user}${url.hostname}${shownPort}${path === '/' ? '' : path}`,
    username,
    password,
  };
}

/** `git@example.com:ada/abacus.git` */
function parseScp(text: string): RemoteAddress {
  const [, username = '', host = '', path = ''] = /^(?:([\w.-]+)@)?([\w.-]+):([^:].*)$/.exec(text) ?? [];
  // a letter and a colon is a drive
  if (!host || host.length < 2 || host.startsWith('-') || username.startsWith('-') || path.startsWith('-'))
    throw invalidAddress();
  return { protocol: 'ssh', host, port: defaultPorts.ssh, url: text, username, password: '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidAddress();
  }
}

interface RemoteHostSettings {
  readonly ALLOWED_DOMAINS: readonly string[];
  readonly BLOCKED_DOMAINS: readonly string[];
  readonly ALLOW_LOCALNETWORKS: boolean;
}

/** Which hosts `[migrations]` and `[security] ALLOWED_HOST_LIST` leave open, as compatible servers read them. */
export class RemoteHosts {
  constructor(
    private readonly settings: RemoteHostSettings,
    /** `[security] ALLOWED_HOST_LIST` */
    private readonly securityList: () => string,
  ) {}

  /** What the resolved address must be in, for this host. Throws 422 when its name is not allowed. */
  allowedFor(host: string): string {
    const name = host.toLowerCase().replace(/\.$/, '');
    const { ALLOWED_DOMAINS: allowed, BLOCKED_DOMAINS: blocked, ALLOW_LOCALNETWORKS: isLocalAllowed } = this.settings;
    if (blocked.some((pattern) => matches(pattern, name))) throw refused(host);
    const local = isLocalAllowed ? ['loopback', 'private'] : [];
    const isNamed = allowed.some((pattern) => matches(pattern, name));
    if (allowed.length > 0 && !isNamed) {
      if (!isLocalAllowed || (isIP(name) && !isLocal(name))) throw refused(host);
      return local.join(',');
    }
    return [this.securityList() || 'external', ...local, ...(isNamed && !isIP(name) ? [name] : [])].join(',');
  }
}

const refused = (host: string) => remoteProblem('forbidden', t.later('error.remote.host', { host }));

const isLocal = (address: string): boolean =>
  ['loopback', 'private', 'uniqueLocal'].includes(ipaddr.process(address).range());

function matches(pattern: string, name: string): boolean {
  const escaped = pattern.toLowerCase().replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*')}$`).test(name);
}
