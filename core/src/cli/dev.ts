import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch, type FSWatcher } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildFailure } from 'esbuild';
import { BadRequest } from '@mortise/plugin-sdk';
import { allReadyMessage } from './worker-messages.js';
import { goMessage } from './stand-by.js';

interface DevOptions {
  readonly folder: string;
  /** Further words for the server, and its surroundings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly port?: string;
  readonly say: (line: string) => void;
}

const skipped = new Set(['node_modules', 'dist', '.git', 'test']);
const isCode = (path: string) => /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
const assetEndings = new Set(['.css', '.svg', '.png', '.ico', '.woff2', '.json', '.js', '.mjs']);
/** Editors write a file in several steps. */
const settleMs = 30;
const killMs = 800;
/** Between two looks for a folder that is away. */
const missingMs = 300;

/**
 * `mortise dev FOLDER`: compiles the plugin, serves with it, and does both again whenever a source is saved; pages that
 * are open in a browser load again by themselves. Types are checked afterwards; what is wrong with them is only said.
 */
export class Dev {
  readonly #folder: string;
  readonly #dist: string;
  #server: ChildProcess | undefined;
  /** Has loaded all but the plugin, and starts when it is told to. */
  #next: ChildProcess | undefined;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #restart: Promise<void> = Promise.resolve();
  #ended = false;
  #missing = false;
  #saved = Date.now();
  #checker: ChildProcess | undefined;
  /** What was last said of the types was no good news. */
  #mistaken = false;

  constructor(private readonly options: DevOptions) {
    this.#folder = resolve(options.folder);
    const manifest = join(this.#folder, 'package.json');
    if (!existsSync(manifest)) throw BadRequest(`${this.#folder} contains no package.json.`);
    const { mortise } = JSON.parse(readFileSync(manifest, 'utf8')) as { mortise?: { plugin?: string } };
    if (!mortise?.plugin) throw BadRequest(`${manifest} has no "mortise": { "plugin": … }.`);
    this.#dist = dirname(resolve(this.#folder, mortise.plugin));
  }

  async run(): Promise<void> {
    await this.#compile();
    this.#serve();
    this.#watchAll();
    await new Promise<void>((done) => {
      const end = () => {
        this.#ended = true;
        for (const one of this.#watchers) one.close();
        this.#next?.kill('SIGKILL');
        this.#checker?.kill('SIGKILL');
        void this.#end().then(done);
      };
      process.once('SIGINT', end);
      process.once('SIGTERM', end);
    });
  }

  /** Gives whether it went well; what is wrong is said, and what served goes on serving. */
  async #compile(): Promise<boolean> {
    try {
      const files = [...this.#files(this.#folder)];
      const sources = files.filter(isCode);
      const own =
        this.#dist === this.#folder ? [] : files.filter((path) => !isCode(path) && assetEndings.has(extname(path)));
      await build({
        entryPoints: sources,
        outdir: this.#dist,
        outbase: this.#folder,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        sourcemap: 'linked',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        logLevel: 'silent',
      });
      for (const path of own) {
        if (dirname(path) === this.#folder && extname(path) === '.json') continue;
        const target = join(this.#dist, relative(this.#folder, path));
        await mkdir(dirname(target), { recursive: true });
        await cp(path, target);
      }
      return true;
    } catch (error) {
      for (const { text, location } of (error as BuildFailure).errors ?? [{ text: (error as Error).message }])
        this.options.say(`${location ? `${location.file}:${location.line}:${location.column}: ` : ''}${text}`);
      return false;
    }
  }

  /** Written by the compiler, which nobody waits for. */
  #isMade(path: string): boolean {
    if (this.#dist !== this.#folder) return path === this.#dist || path.startsWith(this.#dist + sep);
    const [, stem, kind = ''] = /^(.*)\.([cm]?)js(?:\.map)?$/.exec(path) ?? [];
    return stem !== undefined && [`.${kind}ts`, `.${kind}tsx`].some((ending) => existsSync(stem + ending));
  }

  *#files(folder: string): Iterable<string> {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name) && path !== this.#dist) yield* this.#files(path);
      else if (entry.isFile()) yield path;
    }
  }

  #serve(): void {
    const server = this.#next?.connected ? this.#next : this.#standBy();
    this.#next = undefined;
    this.#server = server;
    server.on('message', (heard) => {
      if (heard !== allReadyMessage || this.#server !== server || this.#ended) return;
      this.options.say(`ready ${Date.now() - this.#saved} ms after it was saved`);
      this.#next ??= this.#standBy();
      this.#check();
    });
    server.once('exit', (code) => {
      if (this.#server === server && !this.#ended)
        this.options.say(`the server ended (${String(code)}); waiting for a change`);
    });
    server.send(goMessage, () => undefined);
  }

  #standBy(): ChildProcess {
    const program = fileURLToPath(new URL('../../bin/mortise.mjs', import.meta.url));
    const args = ['web', ...(this.options.port ? ['--port', this.options.port] : [])];
    const one = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...this.options.environment, MORTISE_LIVE_RELOAD: '1', MORTISE_STAND_BY: this.#folder },
    });
    one.once('exit', () => {
      if (this.#next === one) this.#next = undefined;
    });
    return one;
  }

  /** Types are looked at once the change is served, with the compiler of the plugin or of Mortise. */
  #check(): void {
    this.#checker?.kill('SIGKILL');
    const tsc = compilerFor(this.#folder);
    if (!tsc || !existsSync(join(this.#folder, 'tsconfig.json'))) return;
    const args = [tsc, '--noEmit', '--pretty', 'false', '--project', this.#folder];
    const checker = spawn(process.execPath, args, { cwd: this.#folder, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#checker = checker;
    let text = '';
    checker.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    // the folder is being replaced
    checker.once('error', () => {
      if (this.#checker === checker) this.#checker = undefined;
    });
    checker.once('close', (code) => {
      if (this.#checker !== checker) return;
      this.#checker = undefined;
      if (text) this.options.say(text.trimEnd());
      else if (code === 0 && this.#mistaken) this.options.say('the types are right again');
      this.#mistaken = code !== 0;
    });
  }

  async #end(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise<void>((done) => server.once('exit', () => done()));
    server.kill('SIGTERM');
    const timer = setTimeout(() => server.kill('SIGKILL'), killMs);
    await gone;
    clearTimeout(timer);
  }

  #watchAll(): void {
    for (const one of this.#watchers) one.close();
    const folders = new Set([this.#folder, ...[...this.#files(this.#folder)].map((path) => dirname(path))]);
    this.#watchers = [...folders].map((folder) =>
      watch(folder, (_kind, name) => {
        const path = name ? join(folder, name) : folder;
        if (this.#isMade(path) || skipped.has(name ?? '')) return;
        if (!this.#timer) this.#saved = Date.now();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#changed(), settleMs);
      }).on('error', () => undefined),
    );
  }

  /** One after the other: a file that is saved meanwhile is compiled once more. */
  #changed(): void {
    this.#timer = undefined;
    this.#restart = this.#restart
      .then(() => this.#again())
      .catch((error: unknown) => {
        // the folder is being replaced, as by a checkout: there is nothing to watch until it is back
        if (!this.#missing) this.options.say(`${(error as Error).message}; waiting for it`);
        this.#missing = true;
        clearTimeout(this.#timer);
        if (!this.#ended) this.#timer = setTimeout(() => this.#changed(), missingMs);
      });
  }

  async #again(): Promise<void> {
    const began = Date.now();
    this.#checker?.kill('SIGKILL');
    this.#watchAll();
    this.#missing = false;
    if (this.#ended || !(await this.#compile())) return;
    await this.#end();
    if (this.#ended) return;
    this.#serve();
    this.options.say(`compiled in ${Date.now() - began} ms; starting again`);
  }
}

/** `tsc` of the plugin, else the one that Mortise is compiled with, which an installation may lack. */
function compilerFor(folder: string): string | undefined {
  // Before `npm install` there is nothing that types could be checked against.
  const isLinked = ['', '..', '../..'].some((up) => existsSync(join(folder, up, 'node_modules/@mortise/plugin-sdk')));
  if (!isLinked) return undefined;
  for (const [from, name] of [
    [join(folder, 'package.json'), 'typescript'],
    [import.meta.url, 'typescript-native'],
  ] as const) {
    try {
      return join(dirname(createRequire(from).resolve(`${name}/package.json`)), 'bin/tsc');
    } catch {
      // the next
    }
  }
  return undefined;
}
