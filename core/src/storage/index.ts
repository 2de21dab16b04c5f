import { resolve } from 'node:path';
import { Problem, type Logger, type StorageArea } from '@mortise/plugin-sdk';
import type { ManagedStorage } from '../contracts.js';
import { DiskArea, checkDisk, foldersIn } from './disk.js';
import type { StoragePlan, StorageSettings } from './settings.js';

export * from './settings.js';

interface StorageOptions {
  readonly plan: StoragePlan;
  readonly workDir: string;
  readonly log: Logger;
  /** Is deleted content kept, since a running back-up may need it? */
  readonly keepsDeleted?: () => Promise<boolean>;
}

const areaName = /^[a-z][a-z0-9-]{0,40}$/;

/** Blobs by area, each where the settings say. No I/O before first use. */
export function createStorage({ plan, workDir, log, keepsDeleted }: StorageOptions): ManagedStorage {
  const common = openStore(plan.common, { log, keepsDeleted }, (area) => resolve(workDir, plan.common.PATH, area));
  const own = new Map(
    [...plan.areas].map(([name, settings]) => [
      name,
      openStore(settings, { log, keepsDeleted }, () => resolve(workDir, settings.PATH)),
    ]),
  );
  const check = (name: string) => {
    if (!areaName.test(name)) throw new Problem('bad_request', `"${name}" is not a valid name of a storage area.`);
  };
  const areas = new Map<string, StorageArea>();
  return {
    area(name) {
      check(name);
      const known = areas.get(name) ?? (own.get(name) ?? common).area(name);
      areas.set(name, known);
      return known;
    },
    async check() {
      for (const store of [common, ...own.values()]) await store.check();
    },
    async areas() {
      return [...new Set([...(await common.areas()), ...own.keys()])].filter((name) => areaName.test(name)).sort();
    },
    folders: () => {
      const all = [['common', plan.common] as const, ...plan.areas];
      const onDisk = all.filter(([, { STORAGE_TYPE }]) => STORAGE_TYPE === 'local');
      return new Map(onDisk.map(([name, { PATH }]) => [name, resolve(workDir, PATH)]));
    },
    deleted(name) {
      check(name);
      return (own.get(name) ?? common).deleted(name);
    },
  };
}

/** One disk or bucket. `folder` gives the place of an area on a disk. */
function openStore(
  settings: Readonly<StorageSettings>,
  { log, keepsDeleted }: Pick<StorageOptions, 'log' | 'keepsDeleted'>,
  folder: (area: string) => string,
): Omit<ManagedStorage, 'folders'> {
  if (settings.STORAGE_TYPE === 'local')
    return {
      area: (name) => new DiskArea(folder(name), keepsDeleted),
      deleted: (name) => new DiskArea(folder(name)).deleted,
      check: () => checkDisk(folder('')),
      areas: () => foldersIn(folder('')),
    };
  // The S3 client is large: it is loaded when it is used.
  let store: Promise<import('./s3.js').S3Store> | undefined;
  const open = () => (store ??= import('./s3.js').then(({ S3Store }) => new S3Store(settings, log, keepsDeleted)));
  return {
    area: (name) => lazyArea(async () => (await open()).area(name)),
    deleted: (name) => ({
      async *list() {
        yield* (await open()).deleted(name).list();
      },
      get: async (key) => (await open()).deleted(name).get(key),
      clear: async () => (await open()).deleted(name).clear(),
    }),
    check: async () => (await open()).check(),
    areas: async () => (await open()).areas(),
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
