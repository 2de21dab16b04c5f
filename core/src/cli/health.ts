import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { HostOptions } from '../host.js';
import { serverSettings } from '../http/settings.js';
import { openSettings } from '../settings/open.js';

const timeoutMs = 5000;

/** Where the server of these settings answers on its own machine. */
export function localAddress(options: HostOptions): URL {
  const { PROTOCOL, HTTP_ADDR, HTTP_PORT, ROOT_URL } = openSettings(options).settingsRegistry.declare(
    'core',
    'server',
    serverSettings,
  );
  const any: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const host = any[HTTP_ADDR] ?? (HTTP_ADDR.includes(':') ? `[${HTTP_ADDR}]` : HTTP_ADDR);
  const path = URL.canParse(ROOT_URL) ? new URL(ROOT_URL).pathname.replace(/\/+$/, '') : '';
  return new URL(`${PROTOCOL}://${host}:${HTTP_PORT}${path}/api/livez`);
}

/** The status that the server answers with; throws when it gives none in time. */
export function askHealth(address: URL): Promise<number> {
  const send = address.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    // the certificate is for the name of the site, not for this machine's own address
    const asked = send(address, { rejectUnauthorized: false, signal: AbortSignal.timeout(timeoutMs) }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}
