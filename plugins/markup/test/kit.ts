import type { Cache, MemoryCache, PointReader, Site } from '@mortise/plugin-sdk';
import type { FileRendererModule, MarkupReference } from '../contract/markup.js';
import { makeMarkup, type MakeDeps } from '../services/make.js';
import { markdownSettings, renderSettings } from '../settings.js';

export const site = {
  rootUrl: 'https://example.com/git',
  basePath: '/git',
  url: (path: string) => `https://example.com/git${path}`,
  path: (path: string) => `/git${path}`,
} as Site;

export function point<C>(...items: C[]): PointReader<C> {
  return { list: () => items, get: () => undefined, ownerOf: () => undefined };
}

export interface Memory<V> extends MemoryCache<V> {
  readonly values: Map<string, V>;
  readonly sizes: Map<string, number>;
}

export function memory<V>(): Memory<V> {
  const values = new Map<string, V>();
  const sizes = new Map<string, number>();
  return {
    values,
    sizes,
    get: (key) => values.get(key),
    set: (key, value, options) => {
      values.set(key, value);
      sizes.set(key, options?.size ?? 0);
    },
    delete: (key) => void values.delete(key),
    clear: () => values.clear(),
    load: async (key, loader) => values.get(key) ?? loader(),
  };
}

export interface MarkupOptions {
  readonly references?: readonly MarkupReference[];
  readonly renderers?: readonly FileRendererModule[];
  readonly settings?: Partial<MakeDeps['settings']>;
  readonly commands?: MakeDeps['commands'];
}

const opened: { close(): Promise<void> }[] = [];

/** Ends the threads of all services that a test made. */
export async function closeAll(): Promise<void> {
  for (const one of opened.splice(0)) await one.close();
}

/** The service with threads of its own. */
export function service({ references = [], renderers = [], settings = {}, commands = [] }: MarkupOptions = {}) {
  const caches = new Map<string, Memory<unknown>>();
  const log: string[] = [];
  const results: string[] = [];
  const rendering = makeMarkup({
    site,
    cache: {
      memory: (name: string) => {
        caches.set(name, memory());
        return caches.get(name)!;
      },
    } as unknown as Cache,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: (message, fields) => void log.push(`${message} ${JSON.stringify(fields)}`),
      error: () => undefined,
    },
    renderers: point(...renderers),
    references: point(...references),
    settings: {
      ...(renderSettings.validate({}).value as MakeDeps['settings']),
      ...(markdownSettings.validate({}).value as MakeDeps['settings']),
      ...settings,
    },
    commands,
    entry: new URL('../worker/main.js', import.meta.url),
    count: (result) => void results.push(result),
  });
  opened.push(rendering);
  return { ...rendering, caches, log, results };
}
