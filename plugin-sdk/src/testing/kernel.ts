import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type { Actor } from '../actor.js';
import type { PluginDefinition } from '../plugin.js';
import type { ServiceRef } from '../references.js';
import type { PluginDirectory } from '../plugin-directory.js';
import type { Database, Site } from '../services.js';

/** The part of the kernel that the test kit uses; the SDK does not depend on the kernel's package. */
export interface KernelHost {
  readonly site: Site;
  readonly database: Database;
  readonly pluginDirectory: PluginDirectory;
  readonly jobs: { runDue(now?: number): Promise<number> };
  readonly events: { deliverAll(): Promise<void> };
  get<T>(ref: ServiceRef<T>): T;
  migrate(): Promise<string[]>;
  start(options: { background: boolean }): Promise<void>;
  listen(): Promise<string>;
  inject(request: ServerInjectOptions): Promise<ServerInjectResponse>;
  runCommand(
    name: string,
    args: Readonly<Record<string, string | boolean | undefined>>,
    print: (line: string) => void,
    input?: () => Promise<string>,
  ): Promise<void>;
  stop(): Promise<void>;
}

interface KernelHostOptions {
  workDir: string;
  environment: Record<string, string | undefined>;
  settings: Record<string, Record<string, unknown>>;
  plugins: readonly (string | PluginDefinition)[];
  logLevel: 'none' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
  validateResponses: boolean;
  actorOf: (app: unknown) => Actor | undefined;
}

interface Kernel {
  createHost(options: KernelHostOptions): Promise<KernelHost>;
}

/** The real kernel: of the checkout that `MORTISE_HOME` names, else the installed `@mortise/core`. */
export async function loadKernel(): Promise<Kernel> {
  const home = process.env.MORTISE_HOME;
  const local = home && join(home, 'core', 'dist', 'index.js');
  if (local && !existsSync(local)) throw new Error(`MORTISE_HOME names ${home}, but there is no built Mortise in it`);
  const name: string = local ? pathToFileURL(local).href : '@mortise/core';
  try {
    return (await import(name)) as Kernel;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' || local) throw error;
    throw new Error(
      'the test kit needs the kernel: install @mortise/core, or let MORTISE_HOME name a checkout that is built',
      { cause: error },
    );
  }
}
