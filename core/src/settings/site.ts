import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '@mortise/plugin-sdk';
import type { KernelSettings } from './kernel.js';

export interface SiteRoom extends Site {
  /** Known only when the server listens on a free port: the address where ROOT_URL gives none. */
  listensAt(address: string): void;
}

/** Addresses and facts of the site. */
export function createSite(options: { settings: KernelSettings; workDir: string; version: string }): SiteRoom {
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
    get rootUrl() {
      return rootUrl;
    },
    url: (path) => rootUrl + path,
    path: (path) => basePath + path,
    secret(purpose) {
      let secret = derived.get(purpose);
      if (!secret) {
        master ??= settings.secret.SECRET_KEY ? Buffer.from(settings.secret.SECRET_KEY) : keptSecret(workDir);
        secret = Buffer.from(hkdfSync('sha256', master, 'mortise', purpose, 32));
        derived.set(purpose, secret);
      }
      return secret;
    },
    listensAt(address) {
      if (!given && server.HTTP_PORT === 0) rootUrl = address.replace(/\/+$/, '');
    },
  };
}

/** Reads the secret of this work directory, or makes it. Of many processes that make it at once, one wins for all. */
function keptSecret(workDir: string): Buffer {
  const folder = join(workDir, 'config');
  const file = join(folder, 'secret');
  const read = () => Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return read();
}
