import { isAbsolute, join } from 'node:path';
import { Problem, type Logger, type StorageArea } from '@mortise/plugin-sdk';
import type { StorageRoom } from '../contracts.js';
import { DiskArea, checkDisk } from './disk.js';
import type { StorageSettings } from './settings.js';

export * from './settings.js';

export interface StorageOptions {
  readonly settings: Readonly<StorageSettings>;
  readonly workDir: string;
  readonly log: Logger;
}

const areaName = /^[a-z][a-z0-9-]{0,40}$/;

/** Blobs by area. No I/O before first use. */
export function createStorage({ settings, workDir, log }: StorageOptions): StorageRoom {
  const areas = new Map<string, StorageArea>();
  const remember = (make: (name: string) => StorageArea) => (name: string) => {
    if (!areaName.test(name)) throw new Problem('bad_request', `"${name}" is no name of a storage area`);
    const known = areas.get(name) ?? make(name);
    areas.set(name, known);
    return known;
  };
  if (settings.STORAGE_TYPE === 'local') {
    const folder = isAbsolute(settings.PATH) ? settings.PATH : join(workDir, settings.PATH);
    return { area: remember((name) => new DiskArea(join(folder, name))), check: () => checkDisk(folder) };
  }
  // The S3 client is large: it is loaded when it is used.
  let store: Promise<import('./s3.js').S3Store> | undefined;
  const open = () => (store ??= import('./s3.js').then(({ S3Store }) => new S3Store(settings, log)));
  return {
    area: remember((name) => lazyArea(async () => (await open()).area(name))),
    check: async () => (await open()).check(),
  };
}

/** An area whose store is still being loaded. */
function lazyArea(load: () => Promise<StorageArea>): StorageArea {
  return {
    put: async (key, content, options) => (await load()).put(key, content, options),
    putByHash: async (content, options) => (await load()).putByHash(content, options),
    get: async (key, range) => (await load()).get(key, range),
    stat: async (key) => (await load()).stat(key),
    delete: async (key) => (await load()).delete(key),
    async *list(prefix) {
      yield* (await load()).list(prefix);
    },
    signedUrl: async (key, options) => (await load()).signedUrl(key, options),
  };
}
