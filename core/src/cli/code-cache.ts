import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script, constants } from 'node:vm';

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

/**
 * Keeps what node compiled of the bundled libraries (docs/decisions/0012) in `folder`, for the next start: Node 20 does
 * this only for scripts, and 22 does it by itself. Kept is what belongs to the same text, by its hash; what another
 * version of node made is refused by V8. A process that has loaded `mark` writes: others would compile too little.
 */
export function keepCompiled(folder: string, mark = 'hapi.cjs'): void {
  const extensions = (createRequire(import.meta.url) as unknown as { extensions: Extensions }).extensions;
  const loaded: Loaded[] = [];
  let isMarked = false;

  extensions['.cjs'] = (module, path) => {
    const text = readFileSync(path);
    const prefix = `${basename(path)}-`;
    const name = `${prefix}${createHash('sha1').update(text).digest('hex')}-${process.version}`;
    const cachedData = readIfThere(join(folder, name));
    const script = new Script(wrap(text.toString()), {
      filename: path,
      cachedData,
      importModuleDynamically: constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (!cachedData || script.cachedDataRejected) loaded.push({ script, prefix, name });
    isMarked ||= basename(path) === mark;
    const run = script.runInThisContext() as (...args: unknown[]) => void;
    run.call(module.exports, module.exports, createRequire(path), module, path, dirname(path));
  };

  const save = () => {
    if (!isMarked) return;
    for (const one of loaded.splice(0)) write(folder, one);
  };
  setTimeout(save, settled).unref();
  process.once('exit', save);
}

/** What node wraps modules in. */
const wrap = (text: string) => `(function (exports, require, module, __filename, __dirname) { ${text}\n});`;

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
      writeFileSync(made, script.createCachedData(), { mode: 0o600 });
      renameSync(made, join(folder, name));
    } finally {
      rmSync(made, { force: true });
    }
    for (const old of readdirSync(folder)) if (old.startsWith(prefix) && old !== name) rmSync(join(folder, old));
  } catch {
    // nothing but time depends on it
  }
}
