import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type { Actor } from '../actor.js';
import type { PluginDefinition } from '../plugin.js';
import type { ServiceRef } from '../references.js';
import type { PluginDirectory } from '../plugin-directory.js';
import type { Database, Site } from '../services.js';
import { formsWithoutToken } from './forms.js';
import { TemplateDatabase } from './template-database.js';
import { loadKernel, type KernelHost } from './kernel.js';
import { watchTexts } from './strict-texts.js';

export interface TestHostOptions {
  /** Names of plugins of the installation, or definitions; what they require is loaded with them. */
  readonly plugins: readonly (string | PluginDefinition)[];
  /** Section → key → value. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Default: what `MORTISE_TEST_ENGINE` says, else SQLite. MySQL runs on the server of `MORTISE_TEST_MYSQL`. */
  readonly engine?: 'sqlite' | 'mysql';
  /** A JSON answer that does not fit the schema of its route becomes a 500. Default true. */
  readonly validateResponses?: boolean;
  /** Deliver events and run jobs in the background; default false: tests say when (`settle`, `jobs.runDue`). */
  readonly background?: boolean;
  readonly logLevel?: 'none' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
}

/** A user as `as` takes it; an actor is made from it. */
interface TestUser {
  readonly id: number;
  readonly name: string;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
}

export interface TestResponse extends ServerInjectResponse {
  /** The body, parsed; undefined when it is no JSON. Untyped on purpose: tests look at it. */
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any
}

export interface TestClient {
  /** One request without a network; a string is a GET. Objects as `payload` travel as JSON. */
  inject(request: string | (Partial<ServerInjectOptions> & { url: string })): Promise<TestResponse>;
}

export interface TestHost extends TestClient {
  readonly site: Site;
  readonly database: Database;
  readonly pluginDirectory: PluginDirectory;
  readonly services: { get<T>(ref: ServiceRef<T>): T };
  /** Sends requests as that actor, past the auth methods. */
  as(who: Actor | TestUser): TestClient;
  /** Listens on a free port of this machine, on first use, for git and other real clients. Gives the address. */
  url(): Promise<string>;
  readonly jobs: { runDue(now?: number): Promise<number> };
  readonly events: { deliverAll(): Promise<void> };
  /** Delivers events and runs due jobs until nothing is left to do. */
  settle(): Promise<void>;
  /** Runs a command of a plugin, for instance `admin user create`; gives what it printed. */
  command(
    name: string,
    args?: Readonly<Record<string, string | boolean | undefined>>,
    options?: { readonly input?: string },
  ): Promise<string[]>;
  readonly workDir: string;
  /** Stops this host and starts another one on the same folder and database: after a restart, or an upgrade. */
  restart(change?: Partial<TestHostOptions>): Promise<TestHost>;
  close(): Promise<void>;
}

/** Starts the real kernel with the chosen plugins on a fresh database in a folder of its own. */
export async function startHost(options: TestHostOptions): Promise<TestHost> {
  const workDir = await mkdtemp(join(tmpdir(), 'mortise-test-'));
  const engine = options.engine ?? (process.env.MORTISE_TEST_ENGINE === 'mysql' ? 'mysql' : 'sqlite');
  return open(options, { workDir, database: engine === 'mysql' ? mysqlSettings() : {}, isNew: true });
}

/** What a host stands on, and leaves behind when it is restarted. */
interface Ground {
  readonly workDir: string;
  readonly database: Readonly<Record<string, string>>;
  readonly isNew: boolean;
}

async function open(options: TestHostOptions, ground: Ground): Promise<TestHost> {
  const { createHost } = await loadKernel();
  watchTexts();
  const { workDir, database, isNew } = ground;
  const tables = isNew ? new TemplateDatabase(database.NAME ? 'mysql' : 'sqlite', options.plugins, workDir) : undefined;
  let host: KernelHost | undefined;
  const close = async () => {
    if (host && database.NAME) {
      const { database: opened } = host;
      await opened
        .write(async () => void (await opened.knex().raw('DROP DATABASE ??', [database.NAME!])))
        .catch(() => undefined);
    }
    await host?.stop();
    // a git process may just be ending in it
    await rm(workDir, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    tables?.prepare();
    host = await createHost({
      workDir,
      // Only what tests say counts, not the environment of whoever runs them.
      environment: {},
      plugins: options.plugins,
      settings: merge(
        {
          server: { HTTP_PORT: 0, HTTP_ADDR: '127.0.0.1', WORKERS: 1 },
          security: {
            SECRET_KEY: randomBytes(32).toString('hex'),
            ALLOWED_HOST_LIST: '*',
            // nobody is to guess these passwords, nor these keys
            PASSWORD_HASH_ALGO: 'argon2$1$8$1$32',
          },
          packages: { SIGNING_KEY_BITS: 2048 },
          queue: { DRAIN_TIME: 2000 },
          database,
        },
        options.settings ?? {},
      ),
      logLevel: options.logLevel ?? 'none',
      validateResponses: options.validateResponses ?? true,
      actorOf: (app) => (app as { mortiseActor?: Actor } | undefined)?.mortiseActor,
    });
    await tables?.migrate(host);
    await host.start({ background: options.background ?? false });
  } catch (error) {
    await close();
    throw error;
  }
  const restart = async (change: Partial<TestHostOptions> = {}) => {
    await host!.stop();
    return open({ ...options, ...change }, { ...ground, isNew: false });
  };
  return facade(host, workDir, { restart, close });
}

function facade(host: KernelHost, workDir: string, ends: Pick<TestHost, 'restart' | 'close'>): TestHost {
  const client = (actor?: Actor): TestClient => ({
    async inject(request) {
      const { app, ...rest } = typeof request === 'string' ? { url: request, app: undefined } : request;
      const answer = await host.inject({
        method: 'GET',
        ...rest,
        app: { ...app, mortiseActor: actor } as ServerInjectOptions['app'],
      });
      const [tag] = String(answer.headers['content-type']).startsWith('text/html')
        ? formsWithoutToken(answer.payload)
        : [];
      if (tag) throw new Error(`a form of the page ${rest.url} has no token: put a <Csrf /> into ${tag}`);
      return Object.assign(answer, { json: parsed(answer.payload) });
    },
  });
  return {
    ...client(),
    site: host.site,
    database: host.database,
    pluginDirectory: host.pluginDirectory,
    services: { get: (ref) => host.get(ref) },
    as: (who) => client(asActor(who)),
    url: () => host.listen(),
    jobs: host.jobs,
    events: host.events,
    async settle() {
      do await host.events.deliverAll();
      while ((await host.jobs.runDue()) > 0);
    },
    async command(name, args = {}, { input = '' } = {}) {
      const lines: string[] = [];
      await host.runCommand(
        name,
        args,
        (line) => lines.push(line),
        async () => input,
      );
      return lines;
    },
    workDir,
    ...ends,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A signed-in user's actor, as after a password. */
export function asActor(who: Actor | TestUser): Actor {
  if ('kind' in who) return who;
  const { id, name, isAdmin = false, isRestricted = false } = who;
  return { kind: 'user', id, name, isAdmin, isRestricted, method: 'test', publicOnly: false };
}

function mysqlSettings(): Record<string, string> {
  const address = process.env.MORTISE_TEST_MYSQL;
  if (!address) throw new Error('tests on MySQL need MORTISE_TEST_MYSQL, for instance mysql://root@127.0.0.1:3306');
  const url = new URL(address);
  return {
    DB_TYPE: 'mysql',
    HOST: url.host,
    USER: decodeURIComponent(url.username) || 'root',
    PASSWD: decodeURIComponent(url.password),
    NAME: `mortise_test_${process.pid}_${randomBytes(5).toString('hex')}`,
  };
}

type Sections = Record<string, Record<string, unknown>>;

function merge(base: Sections, over: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Sections {
  const merged: Sections = { ...base };
  for (const [section, values] of Object.entries(over)) merged[section] = { ...merged[section], ...values };
  return merged;
}
