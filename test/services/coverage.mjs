// Which lines of the packages the tests run: what each process of a task says by NODE_V8_COVERAGE is merged and deleted
// when the task has ended, and c8 maps the sum to the TypeScript sources at the end.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mergeProcessCovs } from '@bcoe/v8-coverage';
import { Report } from 'c8';
import { sumLines } from './coverage-table.mjs';

/** So many processes are merged at once: more are quicker and take more memory. */
const maxMerged = 16;
/** Compiled files of packages; not their tests, nor what they hand to the tests of others. */
const ofPackage = /^(?:core|plugin-sdk|plugins\/[\w-]+)\/dist\/(?!test\/|testing(?:\/|\.js)).*\.js$/;
/** What the compiler leaves of a module of types. */
const isEmpty = (text) => /^(?:\/\/.*\s*|\/\*[^]*?\*\/\s*)*export \{\};/.test(text);

function* compiledFiles(root, folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* compiledFiles(root, path);
    else if (ofPackage.test(path) && existsSync(join(root, `${path}.map`))) yield path;
  }
}

/** Collects what the processes of tasks ran; `root` is the folder of the project, `scratch` one for files of their own. */
export class Coverage {
  #merged = { result: [] };
  #root;
  #scratch;
  #prefix;
  #tasks = 0;

  constructor(root, scratch) {
    this.#root = root;
    this.#scratch = scratch;
    this.#prefix = pathToFileURL(`${root}/`).href;
  }

  /** A folder for the processes of one task. */
  begin() {
    const folder = join(this.#scratch, `coverage-${++this.#tasks}`);
    mkdirSync(folder);
    return folder;
  }

  /** Adds what was written there, and deletes it. */
  async add(folder) {
    const names = readdirSync(folder);
    for (let at = 0; at < names.length; at += maxMerged) {
      const some = names.slice(at, at + maxMerged).flatMap((name) => this.#read(join(folder, name)));
      this.#merged = mergeProcessCovs([this.#merged, ...some]);
      // other tasks print and end meanwhile
      await new Promise(setImmediate);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  #read(path) {
    let found;
    try {
      found = JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      // of a process that was killed while it wrote
      return [];
    }
    const isOurs = ({ url }) => url.startsWith(this.#prefix) && ofPackage.test(url.slice(this.#prefix.length));
    return [{ result: found.result.filter(isOurs) }];
  }

  /** Lines of each package, and of the services of each plugin: name → `{ covered, total }`. Nothing ran what no task loaded. */
  async lines() {
    const seen = new Set(this.#merged.result.map(({ url }) => url));
    const folders = [
      'core',
      'plugin-sdk',
      ...readdirSync(join(this.#root, 'plugins')).map((name) => `plugins/${name}`),
    ];
    for (const folder of folders.filter((one) => existsSync(join(this.#root, one, 'dist'))))
      for (const path of compiledFiles(this.#root, `${folder}/dist`)) {
        const [file, url] = [join(this.#root, path), this.#prefix + path];
        if (seen.has(url) || isEmpty(readFileSync(file, 'utf8'))) continue;
        // by that name its lines count as not covered
        const ranges = [{ startOffset: 0, endOffset: statSync(file).size, count: 0 }];
        const functions = [{ functionName: '(empty-report)', ranges, isBlockCoverage: true }];
        this.#merged.result.push({ scriptId: '0', url, functions });
      }
    const tempDirectory = join(this.#scratch, 'coverage');
    mkdirSync(tempDirectory, { recursive: true });
    writeFileSync(join(tempDirectory, 'coverage-all.json'), JSON.stringify(this.#merged));
    const report = new Report({ tempDirectory, exclude: [], reporter: [], resolve: '', omitRelative: true });
    return sumLines(await report.getCoverageMapFromAllCoverageFiles(), this.#root);
  }
}
