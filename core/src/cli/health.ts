import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HostOptions } from '../host.js';
import { localHeader } from '../http/proxy-protocol.js';
import { serverSettings } from '../http/settings.js';
import { openSettings } from '../settings/open.js';

const timeoutMs = 5000;

interface LocalServer {
  readonly address: URL;
  /** Each connection has to begin with a header of the PROXY protocol, before TLS or within. */
  readonly proxyHeader?: 'first' | 'within TLS';
}

/** Where the server of these settings answers on its own machine. */
export function localServer(options: HostOptions): LocalServer {
  const { settingsRegistry } = openSettings(options);
  const settings = settingsRegistry.declare('core', 'server', serverSettings);
  const { PROTOCOL, HTTP_ADDR, HTTP_PORT, ROOT_URL } = settings;
  const any: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const host = any[HTTP_ADDR] ?? (HTTP_ADDR.includes(':') ? `[${HTTP_ADDR}]` : HTTP_ADDR);
  const path = URL.canParse(ROOT_URL) ? new URL(ROOT_URL).pathname.replace(/\/+$/, '') : '';
  const address = new URL(`${PROTOCOL}://${host}:${HTTP_PORT}${path}/api/livez`);
  if (!settings.USE_PROXY_PROTOCOL) return { address };
  return { address, proxyHeader: settings.PROXY_PROTOCOL_TLS_BRIDGING ? 'within TLS' : 'first' };
}

/** The status that the server answers with; throws when there is none in time. */
export function askHealth({ address, proxyHeader }: LocalServer): Promise<number> {
  const send = address.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    // the certificate is for the name of the site, not for this machine's own address
    const options: RequestOptions & { rejectUnauthorized: boolean } = {
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(proxyHeader && { createConnection: () => connectAsProxy(address, proxyHeader) }),
    };
    const request = send(address, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

function connectAsProxy({ protocol, hostname, port }: URL, proxyHeader: 'first' | 'within TLS') {
  const isTls = protocol === 'https:';
  const socket = connect(Number(port || (isTls ? 443 : 80)), hostname.replace(/^\[|\]$/g, ''));
  if (!isTls || proxyHeader === 'first') socket.write(localHeader);
  if (!isTls) return socket;
  const secure = connectTls({ socket, rejectUnauthorized: false });
  if (proxyHeader === 'within TLS') secure.write(localHeader);
  return secure;
}
