// `npm test NAME -- --watch`: runs the files again whenever a source changes, on SQLite alone. What was saved is
// translated by itself, without a look at types, so that the answer is there at once; the types are checked afterwards.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { transform } from 'esbuild';
import { tsc } from '../../core/bin/compiler.mjs';
import { needsHost } from './files.mjs';
import { runFiles } from './lab.mjs';

const sources = ['core/src', 'plugin-sdk/src', 'plugins', 'test'];
/** Editors write a file in several steps. */
const settleMs = 50;

/** The compiled file of a source; undefined where nothing is compiled. */
function compiledOf(path) {
  if (!/\.tsx?$/.test(path) || path.endsWith('.d.ts')) return undefined;
  const parts = path.split(sep);
  if (parts.includes('dist') || parts.includes('node_modules') || parts.includes('fixtures')) return undefined;
  const at = parts[0] === 'plugins' ? 2 : 1;
  const rest = parts.slice(parts[0] === 'plugins' ? 2 : 2);
  return join(...parts.slice(0, at), 'dist', ...rest).replace(/\.tsx?$/, '.js');
}

async function translate(path) {
  const target = compiledOf(path);
  if (!target || !existsSync(path)) return false;
  const { code, map } = await transform(readFileSync(path, 'utf8'), {
    loader: path.endsWith('x') ? 'tsx' : 'ts',
    format: 'esm',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: true,
    sourcefile: path,
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(`${target}.map`, map);
  writeFileSync(target, `${code}//# sourceMappingURL=${target.split(sep).at(-1)}.map\n`);
  return true;
}

function checkTypes() {
  const child = spawn(process.execPath, [tsc, '-b'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  return new Promise((resolve) => child.on('close', (code) => (code && console.log(printed), resolve())));
}

export async function watchFiles(files, services, scratch) {
  let changed = new Set();
  let wake = () => undefined;
  for (const folder of sources)
    watch(folder, { recursive: true }, (_, name) => {
      const path = name && join(folder, name);
      if (path && (compiledOf(path) || path.endsWith('.mjs'))) {
        changed.add(path);
        wake();
      }
    });
  for (;;) {
    const started = Date.now();
    // a migration may have changed
    rmSync(join(scratch, 'tables'), { recursive: true, force: true });
    for (const file of files) {
      const { name, isGreen, passed, text } = await runFiles({ files: [file], engine: 'sqlite' }, services, scratch);
      console.log(isGreen ? `✔ ${name}: ${passed}` : `✖ ${text}`);
    }
    const hosts = files.filter((file) => needsHost(file)).length;
    console.log(
      `${((Date.now() - started) / 1000).toFixed(1)} s${hosts ? '; on SQLite alone' : ''}; waiting for changes (Ctrl+C ends)`,
    );
    if (changed.size === 0) await checkTypes();
    while (changed.size === 0) await new Promise((resolve) => (wake = resolve));
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const paths = changed;
    changed = new Set();
    for (const path of paths) await translate(path).catch((error) => console.log(error.message));
  }
}
