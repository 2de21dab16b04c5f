// Which test files there are, and what each needs.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders of what is installed, made, or handed to tests. */
const withoutTests = new Set(['node_modules', '.cache', 'fixtures', 'services', 'support']);

function* below(folder, ending) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!withoutTests.has(entry.name)) yield* below(path, ending);
    } else if (ending.test(entry.name)) yield path;
  }
}

/** The source of a compiled test; a compiled file without one is left over from an earlier build. */
export const sourceOf = (file) => {
  if (file.startsWith('test/')) return file;
  const source = file.replace('core/dist/', 'core/src/').replace('/dist/', '/').replace(/\.js$/, '.ts');
  return existsSync(source) ? source : `${source}x`;
};

/** Compiled lab files of every package: core/dist/test, plugins/<name>/dist/test, and test/<area>. */
export function labFiles() {
  const found = [...below('core/dist/test', /\.test\.js$/)];
  for (const plugin of readdirSync('plugins'))
    found.push(...below(join('plugins', plugin, 'dist', 'test'), /\.test\.js$/));
  found.push(...below('test', /\.test\.mjs$/));
  return found.filter((file) => existsSync(sourceOf(file)));
}

/** Is this true of the text of the file, or of a kit beside it that it imports? */
function holds(check, file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (check(text)) return true;
  return [...text.matchAll(/from '(\.[^']*)'/g)].some(([, path]) => holds(check, join(dirname(file), path), seen));
}

/** Does the file, or a kit that it imports, start a server? Such tests run on each database. */
export const needsHost = (file) =>
  holds(
    (text) =>
      /startHost|startServer|MORTISE_TEST_ENGINE|describe(PackageFormat|WebhookKind|AuthMethod)/.test(text) ||
      /from '@mortise\/(?!plugin-sdk)[\w-]+\/testing'/.test(text),
    file,
  );

/** Does it ask for nothing that `install.mjs` installs when it runs on SQLite: no other engine, browser or client? */
export const needsNothing = (file) =>
  !file.startsWith('test/') &&
  !sleeps(file) &&
  !holds(
    (text) =>
      /child_process|installedClient|MORTISE_TEST_(CHROMIUM|MYSQL|REDIS|S3)|services\/(engines|install)/.test(text),
    file,
  );

/** Does it start server processes with `startServer`? */
export const needsServer = (file) =>
  file.startsWith('test/') && /support\/server\.mjs/.test(readFileSync(file, 'utf8')) && needsHost(file);

/** What these prove has nothing to do with the database, though they start servers; or a file says so in its head. */
const areasOnSqliteAlone = /^test\/(browser|contracts|docs|lint|texts)\//;
const onSqliteAlone = /^\/\/ Database: SQLite alone\b/m;

/** The databases on which the file runs, where both are here. */
export function enginesOf(file) {
  if (!needsHost(file) || areasOnSqliteAlone.test(file)) return ['sqlite'];
  return onSqliteAlone.test(readFileSync(sourceOf(file), 'utf8')) ? ['sqlite'] : ['sqlite', 'mysql'];
}

/** Where a test says so in its head: it sleeps through most of its time, so it runs beside those that keep the cores busy. */
export const sleeps = (file) => /^\/\/ Load: sleeps\b/m.test(readFileSync(sourceOf(file), 'utf8'));

/** Where a test that takes longer than its length lets suppose says so in its head: `// Time: about 80 s`. */
export const saidSeconds = (file) => {
  const [, seconds] = /^\/\/ Time: about (\d+) s\b/m.exec(readFileSync(sourceOf(file), 'utf8')) ?? [];
  return seconds && Number(seconds);
};

/** The package, or the area of `test/`, that a file belongs to. */
export const ownerOf = (file) =>
  file
    .split('/')
    .slice(0, file.startsWith('core/') ? 1 : 2)
    .join('/');

/**
 * `unit`: starts no server; `plugin`: one plugin among those that it needs; `system`: what crosses plugins, with real
 * processes, browsers and clients.
 */
export function tierOf(file) {
  if (file.startsWith('test/')) return 'system';
  return needsHost(file) ? 'plugin' : 'unit';
}

export const sizeOf = (file) => statSync(file).size;
