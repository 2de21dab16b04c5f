import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './server.mjs';

/** Entries of packages: `@mortise/git/api` is `plugins/git/api.ts`. */
const entryPath = (specifier) => {
  const [, name, entry] = /^@mortise\/([a-z0-9-]+)(?:\/([a-z]+))?$/.exec(specifier) ?? [];
  if (!name) return undefined;
  if (name === 'plugin-sdk') return `plugin-sdk/src/${entry === 'testing' ? 'testing/index' : (entry ?? 'index')}`;
  if (name === 'core') return 'core/src/index';
  if (name === 'core-migrations') return 'migrations/index';
  return `plugins/${name}/${entry ?? 'api'}`;
};

/** The source that a module is compiled from, as a path below the root; undefined for modules of others. */
export function sourceOf(specifier, from, isThere) {
  const path = specifier.startsWith('.')
    ? join(dirname(from), specifier)
        .replace(/^((?:plugins\/)?[^/]+\/)dist\//, (_all, folder) =>
          folder.startsWith('plugins/') || folder === 'migrations/' ? folder : `${folder}src/`,
        )
        .replace(/\.[cm]?js$/, '')
    : entryPath(specifier);
  return path && [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find(isThere);
}

const names = (list) =>
  list
    .split(',')
    .map((one) =>
      one
        .replace(/^\s*(?:type\s+)?/, '')
        .split(/\s+as\s+|:/)[0]
        .trim(),
    )
    .filter(Boolean);

/** What a text imports, also within the code that it shows or writes: `{ from, names }`; no names are all of them. */
export function importsIn(text) {
  const found = [];
  for (const [, list, from] of text.matchAll(
    /\bimport\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from\s+['"]([^'"\s]+)['"]/g,
  ))
    found.push({ from, names: names(list) });
  for (const [, name, from] of text.matchAll(/\bimport\s+(?:type\s+)?\*\s+as\s+(\w+)\s+from\s+['"]([^'"\s]+)['"]/g)) {
    const members = [...text.matchAll(new RegExp(`(?<![\\w./])${name}\\.(\\w+)`, 'g'))].map(([, member]) => member);
    found.push({ from, names: members.length > 0 ? members : undefined });
  }
  for (const [, list, from] of text.matchAll(/\{([^{}=]*)\}\s*=\s*await import\(\s*['"]([^'"]+)['"]\s*\)/g))
    found.push({ from, names: names(list) });
  for (const [all, from, member] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)\)?(?:\.(\w+))?/g)) {
    const isList = new RegExp(`\\}\\s*=\\s*await ${all.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`).test(text);
    if (!isList) found.push({ from, names: member && member !== 'then' && member !== 'catch' ? [member] : undefined });
  }
  return found;
}

const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** Exports of one source: names declared there, and those that it takes from another file and gives on. */
export function exportsIn(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const declared = new Set();
  const given = [];
  for (const node of file.statements) {
    if (ts.isExportDeclaration(node)) {
      const from = node.moduleSpecifier?.text;
      const list = node.exportClause?.elements?.map((one) => ({
        name: one.name.text,
        original: (one.propertyName ?? one.name).text,
      }));
      if (from) given.push({ from, list });
      else for (const { name } of list ?? []) declared.add(name);
    } else if (isExported(node) && ts.isVariableStatement(node)) {
      const visit = (name) =>
        ts.isIdentifier(name) ? declared.add(name.text) : name.elements.forEach((one) => visit(one.name));
      for (const one of node.declarationList.declarations) visit(one.name);
    } else if (isExported(node) && node.name) declared.add(node.name.text);
  }
  return { declared, given };
}

/** Sources, with what each exports and who imports it. */
export class ExportIndex {
  #texts = new Map();
  #exports = new Map();
  /** source → name → paths that import it */
  #users = new Map();

  constructor(paths) {
    for (const path of paths)
      if (existsSync(join(root, path))) this.#texts.set(path, readFileSync(join(root, path), 'utf8'));
    for (const [path, text] of this.#texts) if (/\.tsx?$/.test(path)) this.#exports.set(path, exportsIn(path, text));
    for (const [path, text] of this.#texts)
      for (const { from, names } of importsIn(text)) this.#use(this.source(from, path), names, path, text);
  }

  source(specifier, from) {
    return sourceOf(specifier, from, (path) => this.#exports.has(path));
  }

  #use(source, names, by) {
    if (!source) return;
    const users = this.#users.get(source) ?? new Map();
    this.#users.set(source, users);
    for (const name of names ?? this.namesOf(source)) {
      if (users.get(name)?.has(by)) continue;
      users.set(name, (users.get(name) ?? new Set()).add(by));
      // an import through an index is one of the file that declares it
      for (const { from, list } of this.#exports.get(source).given) {
        const original = list ? list.find((one) => one.name === name)?.original : name;
        const target = original && this.source(from, source);
        if (target && (list || this.namesOf(target).has(name))) this.#use(target, [original], by);
      }
    }
  }

  /** Every name that a source exports, its own and those given on. */
  namesOf(source) {
    const { declared, given } = this.#exports.get(source);
    const all = new Set(declared);
    for (const { from, list } of given) {
      const target = this.source(from, source);
      if (list) for (const { name } of list) all.add(name);
      else if (target) for (const name of this.namesOf(target)) all.add(name);
    }
    return all;
  }

  get sources() {
    return [...this.#exports.keys()];
  }

  /** Names that a source declares and exports itself. */
  declaredIn(source) {
    return this.#exports.get(source).declared;
  }

  /** What a source gives on from others. */
  givenIn(source) {
    return this.#exports.get(source).given;
  }

  usersOf(source, name) {
    return [...(this.#users.get(source)?.get(name) ?? [])];
  }

  textOf(path) {
    return this.#texts.get(path);
  }
}
