import { hkdfSync, randomBytes } from 'node:crypto';
import type { Site } from '@mortise/plugin-sdk';
import type { KernelSettings } from './kernel.js';
import { storedSecret } from './secret.js';

export interface ManagedSite extends Site {
  /** Known only when the server listens on a free port: the address where ROOT_URL gives none. */
  listensAt(address: string): void;
  /** Uses a random secret in this process, so that `mortise doctor` can run where the stored one is damaged. */
  useTemporarySecret(): void;
}

/** Addresses and facts of the site. */
export function createSite(options: { settings: KernelSettings; workDir: string; version: string }): ManagedSite {
  const { settings, workDir } = options;
  const { server } = settings.http;
  const given = server.ROOT_URL.replace(/\/+$/, '');
  const port = server.HTTP_PORT === (server.PROTOCOL === 'https' ? 443 : 80) ? '' : `:${server.HTTP_PORT}`;
  let rootUrl = given || `${server.PROTOCOL}://${server.DOMAIN}${port}`;
  const basePath = given ? new URL(given).pathname.replace(/\/+$/, '') : '';
  let master: Buffer | undefined;
  const derived = new Map<string, Buffer>();

  return {
    name: settings.root.APP_NAME,
    version: options.version,
    workDir,
    basePath,
    isProduction: settings.root.RUN_MODE === 'prod',
    requiresSignIn: settings.http.service.REQUIRE_SIGNIN_VIEW === 'true',
    get rootUrl() {
      return rootUrl;
    },
    url: (path) => rootUrl + path,
    path: (path) => basePath + path,
    secret(purpose) {
      let secret = derived.get(purpose);
      if (!secret) {
        master ??= settings.secret.SECRET_KEY ? Buffer.from(settings.secret.SECRET_KEY) : storedSecret(workDir);
        secret = Buffer.from(hkdfSync('sha256', master, 'mortise', purpose, 32));
        derived.set(purpose, secret);
      }
      return secret;
    },
    useTemporarySecret() {
      master = randomBytes(32);
    },
    listensAt(address) {
      if (!given && server.HTTP_PORT === 0) rootUrl = address.replace(/\/+$/, '');
    },
  };
}
