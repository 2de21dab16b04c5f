import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

// No imports of other files: it is at work before any of them is loaded.

type Loader = (module: { exports: unknown }, path: string) => void;
type Extensions = Partial<Record<string, Loader>>;

interface Loaded {
  readonly script: Script;
  /** Beginning of the names of what was kept of this file before, whatever it contained. */
  readonly prefix: string;
  readonly name: string;
}

/** Those functions count that were compiled when it was written: half of them within the first second. */
const settled = 10_000;
/** Between the writing of one and the next, because requests wait meanwhile. */
const pause = 100;

/** What has not begun to serve by then may compute. */
const startMs = 5000;
/** Undefined: node optimizes as it does by itself, and always has. */
let optimizes: boolean | undefined;

/**
 * Nothing is optimized until {@link optimize}: nearly all code of a start runs once, and a seventh of the processor time of
 * a start went into optimizing it, on other threads. V8 takes what it compiled only under the flags that it was made
 * under, so scripts are compiled and kept as they are at the start.
 */
export function startWithoutOptimizing(): void {
  optimizes = false;
  setFlagsFromString('--no-opt');
  setTimeout(optimize, startMs).unref();
}

export function optimize(): void {
  if (optimizes !== false) return;
  optimizes = true;
  setFlagsFromString('--opt');
}

function asAtStart<T>(work: () => T): T {
  if (!optimizes) return work();
  setFlagsFromString('--no-opt');
  try {
    return work();
  } finally {
    setFlagsFromString('--opt');
  }
}

/** Where it is kept, and what is not kept yet; undefined: nothing is. */
let keeping:
  | { readonly folder: string; readonly mark: string; readonly loaded: Loaded[]; isMarked: boolean }
  | undefined;

/**
 * Keeps what node compiled of scripts (docs/decisions/0012, 0029) in `folder`, for the next start. Kept is what belongs to
 * the same text, by its hash; what another version of node made is refused by V8. A process that has loaded `mark` writes:
 * others would compile too little. `libraries`: also of those that are required, which Node 22 does by itself.
 */
export function keepCompiled(folder: string, { mark = 'hapi.cjs', libraries = true } = {}): void {
  const kept = (keeping = { folder, mark, loaded: [], isMarked: false });
  if (libraries)
    (createRequire(import.meta.url) as unknown as { extensions: Extensions }).extensions['.cjs'] = (module, path) => {
      const run = compiled(path, ['exports', 'require', 'module', '__filename', '__dirname']);
      run.call(module.exports, module.exports, createRequire(path), module, path, dirname(path));
    };

  const next = () => {
    const one = kept.isMarked && kept.loaded.shift();
    if (!one) return;
    write(folder, one);
    setTimeout(next, pause).unref();
  };
  setTimeout(next, settled).unref();
  process.once('exit', () => {
    if (kept.isMarked) for (const one of kept.loaded.splice(0)) write(folder, one);
  });
}

/** The script at `path` as a function of these parameters. It cannot import: Node 20 forgets that of what was kept. */
export function compiled(path: string, parameters: readonly string[]): (...args: unknown[]) => unknown {
  const text = readFileSync(path);
  const prefix = `${prefixOf(path)}-`;
  const name = `${prefix}${createHash('sha1').update(text).digest('hex')}-${process.version}`;
  const cachedData = keeping && readIfThere(join(keeping.folder, name));
  const script = asAtStart(
    () =>
      new Script(`(function (${parameters.join(', ')}) { ${text.toString()}\n});`, {
        filename: path,
        cachedData,
      }),
  );
  if (keeping) {
    if (!cachedData || script.cachedDataRejected) keeping.loaded.push({ script, prefix, name });
    keeping.isMarked ||= basename(path) === keeping.mark;
  }
  return script.runInThisContext() as (...args: unknown[]) => unknown;
}

/** Scripts of plugins have one name, so that of the plugin goes before it. */
const prefixOf = (path: string) =>
  basename(path) === 'plugin.bundle.cjs' ? `${basename(dirname(dirname(path)))}.plugin` : basename(path);

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Whole or not at all; where it cannot be written, the next start compiles again. */
function write(folder: string, { script, prefix, name }: Loaded): void {
  const made = join(folder, `.${name}.${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      const data = asAtStart(() => script.createCachedData());
      writeFileSync(made, data, { mode: 0o600 });
      renameSync(made, join(folder, name));
    } finally {
      rmSync(made, { force: true });
    }
    for (const old of readdirSync(folder)) if (old.startsWith(prefix) && old !== name) rmSync(join(folder, old));
  } catch {
    // nothing but time depends on it
  }
}
