import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import {
  anonymous,
  type Actor,
  type AuthMethod,
  type Logger,
  type PointReader,
  type PointRef,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { HttpDeps, ManagedHttp } from '../contracts.js';
import { createLanguages } from '../web/languages.js';
import {
  createHttp,
  defaultHttpSettings,
  type HttpOptions,
  type HttpServices,
  type HttpSettings,
} from '../http/index.js';

export type KitSettings = { readonly [K in keyof HttpSettings]?: Partial<HttpSettings[K]> };

export interface KitOptions extends HttpOptions {
  readonly routes?: readonly Route[];
  readonly contributions?: Readonly<Record<string, readonly unknown[]>>;
  readonly settings?: KitSettings;
  readonly rootUrl?: string;
  readonly islands?: HttpDeps['islands'];
  readonly cache?: HttpServices['cache'];
  /** Of the work folder, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface HttpKit extends Omit<ManagedHttp, 'inject'> {
  readonly lines: LogLine[];
  readonly workDir: string;
  inject(request: string | ServerInjectOptions): Promise<ServerInjectResponse>;
}

/** An HTTP module without a kernel around it: points from plain lists, no database. */
export async function httpKit(options: KitOptions = {}): Promise<HttpKit> {
  const lines: LogLine[] = [];
  const line = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push({ level, message, fields });
  const log: Logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const deps: HttpDeps = {
    log,
    points: { reader: <C>(ref: PointRef<C>) => readerOf((options.contributions?.[ref.id] ?? []) as readonly C[]) },
    routes: (options.routes ?? []).map((value) => ({ owner: 'fixture', value })),
    call: (_owner, _what, call) => call(),
    healthChecks: [],
    islands: options.islands ?? [],
  };
  const settings = settingsWith(options.settings);
  const site = siteAt(options.rootUrl ?? 'http://code.example');
  for (const [path, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(site.workDir, path)), { recursive: true });
    writeFileSync(join(site.workDir, path), text);
  }
  const kit = await createHttp(
    deps,
    {
      settings,
      site,
      languages: createLanguages(settings.i18n, deps.points),
      ...(options.cache && { cache: options.cache }),
    },
    { port: 0, address: '127.0.0.1', ...options },
  );
  return {
    ...kit,
    lines,
    workDir: site.workDir,
    inject: (request) => kit.inject(typeof request === 'string' ? { url: request } : request),
  };
}

/** Ordered, as the points of a host are. */
function readerOf<C>(contributions: readonly C[]): PointReader<C> {
  const orderOf = (one: C): number => (one as { order?: number }).order ?? 100;
  const list = [...contributions].sort((a, b) => orderOf(a) - orderOf(b));
  return {
    list: () => list,
    get: (key) => list.find((one) => (one as { key?: string }).key === key),
    ownerOf: () => 'fixture',
  };
}

function settingsWith(changes: KitSettings = {}): HttpSettings {
  const settings = defaultHttpSettings() as unknown as Record<string, object>;
  for (const [name, values] of Object.entries(changes)) settings[name] = { ...settings[name], ...values };
  return settings as unknown as HttpSettings;
}

function siteAt(rootUrl: string): Site {
  const basePath = new URL(rootUrl).pathname.replace(/\/$/, '');
  const root = rootUrl.replace(/\/$/, '');
  return {
    name: 'Fixture',
    version: '9.8.7',
    rootUrl: root,
    basePath,
    workDir: mkdtempSync(join(tmpdir(), 'mortise-http-')),
    isProduction: false,
    requiresSignIn: false,
    url: (path) => root + path,
    path: (path) => basePath + path,
    secret: (purpose) => Buffer.alloc(32, purpose),
  };
}

export const person = (changes: Partial<Actor> = {}): Actor => ({
  ...anonymous,
  kind: 'user',
  id: 1,
  name: 'ada',
  method: 'basic',
  ...changes,
});

/** Signs in whoever the header names: `Authorization: actor {json}`; `refused` is refused. */
export const headerAuth: AuthMethod = {
  key: 'fixture',
  challenge: 'Basic realm="fixture"',
  authenticate: async ({ headers }) => {
    const value = headers.authorization;
    if (value === 'refused') return { refuse: 'invalid credentials', headers: { warning: '299 - "old"' } };
    if (!value?.startsWith('actor ')) return undefined;
    return { actor: person(JSON.parse(value.slice(6)) as Partial<Actor>) };
  },
};

export const as = (changes: Partial<Actor> = {}): Record<string, string> => ({
  authorization: `actor ${JSON.stringify(changes)}`,
});
