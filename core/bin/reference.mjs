#!/usr/bin/env node
// `npm run docs`: writes docs/sdk from the docstrings of the SDK and of every plugin's contract, as they are compiled, and
// docs/log-events.md. Git ignores docs/sdk: it is made for a release, or to be read.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'oxfmt';
import ts from 'typescript';
import { logCalls, logEventsPage } from './log-events.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const out = join(root, 'docs/sdk');

/** Every page: where its exports are compiled, and what its title says. */
function sources() {
  const list = [
    { page: 'plugin-sdk', title: '@mortise/plugin-sdk', folder: 'plugin-sdk', entry: 'index' },
    { page: 'testing', title: '@mortise/plugin-sdk/testing', folder: 'plugin-sdk', entry: 'testing/index' },
    { page: 'threads', title: '@mortise/plugin-sdk/threads', folder: 'plugin-sdk', entry: 'threads' },
  ];
  for (const name of readdirSync(join(root, 'plugins')).sort())
    if (existsSync(join(root, 'plugins', name, 'api.ts')))
      list.push({ page: name, title: `@mortise/${name}/api`, folder: `plugins/${name}`, entry: 'api' });
  return list.map((one) => ({ ...one, types: join(root, one.folder, 'dist', `${one.entry}.d.ts`) }));
}

const mentionedGroup = 'Types that these mention';
const kinds = { service: 'Services', point: 'Extension points', event: 'Events', job: 'Jobs', resource: 'Resources' };

/** Comment of a symbol as plain Markdown; `{@link X}` becomes code. */
const comment = (symbol, checker) =>
  ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replace(/\{@link\s+([^}]+?)\s*\}/g, '`$1`')
    .trim();

/** What `@deprecated` says. */
const deprecation = (symbol) => {
  const tag = symbol.getJsDocTags().find(({ name }) => name === 'deprecated');
  return tag && ts.displayPartsToString(tag.text);
};

/** What an export is: kind for its heading, and its declaration as it is compiled. */
function describe(symbol, checker, values, symbols) {
  const target = targetOf(symbol, checker);
  const declarations = (target.declarations ?? []).filter((one) => one.getSourceFile().fileName.startsWith(root));
  if (declarations.length === 0 || declarations[0].getSourceFile().fileName.includes('/node_modules/'))
    return undefined;
  const value = values[symbol.name];
  const reference =
    value && typeof value === 'object' && typeof value.id === 'string' && kinds[value.kind] ? value : undefined;
  const text = declarations.map((one) => declarationText(one)).join('\n');
  return {
    name: symbol.name,
    deprecated: deprecation(target) ?? value?.deprecated,
    about: comment(target, checker) || (reference ? carriedComment(text, symbols, checker) : ''),
    text,
    group: reference ? kinds[reference.kind] : groupOf(target),
    id: reference?.id,
    shape: reference?.shape,
  };
}

function declarationText(node) {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return whole
    .getText()
    .replace(/^export (declare |default )?/, '')
    .replace(/^declare /, '')
    .replace(/import\(['"][^'"]+['"]\)\./g, '');
}

/** A reference without words of its own is told by the type that it carries. */
function carriedComment(text, symbols, checker) {
  const [, name] = /(?:Service|Point|Event|Job|Subject)Ref<(\w+)/.exec(text) ?? [];
  const symbol = symbols.find((one) => one.name === name);
  return symbol
    ? comment(symbol, checker).replace(/^Extension points?[^:]*: (.)/, (_all, first) => first.toUpperCase())
    : '';
}

function groupOf({ flags }) {
  if (flags & ts.SymbolFlags.Class) return 'Classes';
  if (flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Method)) return 'Functions';
  if (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) return 'Types';
  return 'Values';
}

const { ignorePatterns: _, ...style } = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'));

async function formatted(name, text) {
  const { code, errors } = await format(name, text, style);
  if (errors.length) throw new Error(`${name}: ${errors.map(({ message }) => message).join(', ')}`);
  return code;
}

const deprecationText = (said) => (typeof said === 'string' ? said : `since ${said.since}: use ${said.use}`);

const order = [...Object.values(kinds), 'Functions', 'Classes', 'Values', 'Types', mentionedGroup];
const shapes = { one: 'takes one contribution', many: 'takes many', keyed: 'takes many, each with a key of its own' };

const targetOf = (symbol, checker) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** Types of the same package that the exports name but nobody imports: without them a signature could not be read. */
function mentionedTypes(symbols, checker, { folder }) {
  const seen = new Set(symbols.map((symbol) => targetOf(symbol, checker)));
  const found = [];
  const visit = (node) => {
    if (
      ts.isIdentifier(node) &&
      (ts.isTypeReferenceNode(node.parent) || ts.isExpressionWithTypeArguments(node.parent))
    ) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol) mention(targetOf(symbol, checker));
    }
    ts.forEachChild(node, visit);
  };
  const mention = (symbol) => {
    const declarations = symbol.declarations ?? [];
    const isOwn = declarations.some((one) => one.getSourceFile().fileName.startsWith(join(root, folder, 'dist')));
    if (seen.has(symbol) || !isOwn || symbol.flags & ts.SymbolFlags.TypeParameter) return;
    seen.add(symbol);
    found.push(symbol);
    declarations.forEach(visit);
  };
  for (const symbol of [...seen]) symbol.declarations?.forEach(visit);
  return found;
}

async function pageOf(source, checker, program) {
  const file = program.getSourceFile(source.types);
  if (!file) throw new Error(`${relative(root, source.types)} is missing: npm run build`);
  const values = await import(pathToFileURL(source.types.replace(/\.d\.ts$/, '.js')).href).catch(() => ({}));
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file));
  const names = new Set(symbols.map(({ name }) => name));
  const isExported = (name) => names.has(name);
  const exported = [...symbols, ...mentionedTypes(symbols, checker, source)]
    .map((symbol) => describe(symbol, checker, values, symbols))
    .filter((one) => one !== undefined)
    .map((one) => (isExported(one.name) ? one : { ...one, group: mentionedGroup }))
    .sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group) || a.name.localeCompare(b.name, 'en'));
  const lines = [
    `# ${source.title}`,
    '',
    `Made from the docstrings by \`npm run docs\`; [all references](README.md), [how to write a plugin](../plugin-authors.md).`,
    '',
  ];
  let group = '';
  for (const one of exported) {
    if (one.group !== group) lines.push(`## ${(group = one.group)}`, '');
    lines.push(`### ${one.name}`, '');
    if (one.id) lines.push(`\`${one.id}\`${one.shape ? `, ${shapes[one.shape]}` : ''}.`, '');
    if (one.deprecated) lines.push(`**Deprecated** ${deprecationText(one.deprecated)}`, '');
    if (one.about) lines.push(one.about, '');
    // oxfmt leaves code within Markdown alone
    lines.push('```ts', (await formatted(`${one.name}.d.ts`, one.text)).trimEnd(), '```', '');
  }
  return { text: lines.join('\n'), exported };
}

/** One table each of what plugins can use and fill, over all contracts. */
function indexOf(pages) {
  const lines = [
    '# Reference of the SDK and the contracts',
    '',
    'Every export of `@mortise/plugin-sdk` and of the contracts (`@mortise/<plugin>/api`), made from the docstrings by `npm run docs`. How they are used says [Writing a plugin](../plugin-authors.md).',
    '',
    ...pages.map(
      ({ source, exported }) =>
        `- [${source.title}](${source.page}.md): ${exported.filter(({ group }) => group !== mentionedGroup).length} exports`,
    ),
    '',
  ];
  for (const group of Object.values(kinds)) {
    const rows = pages.flatMap(({ source, exported }) =>
      exported.filter((one) => one.group === group).map((one) => ({ ...one, source })),
    );
    if (rows.length === 0) continue;
    lines.push(`## ${group}`, '', '| | | |', '|---|---|---|');
    for (const one of rows.sort((a, b) => a.id.localeCompare(b.id, 'en'))) {
      const first =
        one.about
          .split(/\n\n|(?<=[.:])\s/)[0]
          ?.replace(/\s+/g, ' ')
          .replace(/\|/g, '\\|') ?? '';
      lines.push(`| \`${one.id}\` | [${one.name}](${one.source.page}.md#${one.name.toLowerCase()}) | ${first} |`);
    }
    lines.push('');
  }
  return lines.join('\n');
}

/** Components of the SDK, and the classes that the style sheet adds to those of Primer. */
function partsOf(pages) {
  const { exported } = pages.find(({ source }) => source.page === 'plugin-sdk');
  const parts = exported
    .filter(({ group }) => group !== 'Types' && group !== mentionedGroup)
    .filter(({ name, text }) => /^[A-Z]/.test(name) && /\)\s*(?:=>|:)\s*VNode\b/.test(text));
  const css = [
    'styles.ts',
    ...readdirSync(join(root, 'core/src/web')).filter((name) => /style|css/.test(name) && name !== 'styles.ts'),
  ]
    .filter((name) => existsSync(join(root, 'core/src/web', name)))
    .map((name) => readFileSync(join(root, 'core/src/web', name), 'utf8'))
    .join('\n');
  const classes = new Set();
  for (const [, selector] of css.matchAll(/(?:^|[}\n])\s*([^{}@\n]*\.[a-z][^{}\n]*)\{/g))
    for (const [, name] of selector.matchAll(/\.([a-zA-Z][\w-]*)/g)) classes.add(name);
  return [
    '# Parts and classes of pages',
    '',
    'Made by `npm run docs`. Pages are made of the parts below, and of the classes of [Primer CSS](https://primer.style/css), all of which are there: layout (`d-flex`, `mb-3`, `col-6`), type (`f4`, `text-bold`, `color-fg-muted`), and components (`Box`, `btn`, `Label`, `flash`, `blankslate`). Under `mortise dev`, the page `/-/parts` shows every part as it looks.',
    '',
    '## Parts',
    '',
    '| | |',
    '|---|---|',
    ...parts.map(
      ({ name, about }) =>
        `| [\`${name}\`](plugin-sdk.md#${name.toLowerCase()}) | ${about.split('\n\n')[0].replace(/\s+/g, ' ').replace(/\|/g, '\\|')} |`,
    ),
    '',
    '## Classes of the style sheet besides those of Primer',
    '',
    [...classes]
      .sort()
      .map((name) => `\`${name}\``)
      .join(', '),
    '',
  ].join('\n');
}

export async function makeReference() {
  const list = sources();
  const program = ts.createProgram(
    list.map((one) => one.types),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      skipLibCheck: true,
      types: [],
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  const pages = [];
  for (const source of list) {
    const page = { source, ...(await pageOf(source, checker, program)) };
    if (page.exported.length > 0) pages.push(page);
  }
  const files = new Map([
    ['README.md', indexOf(pages)],
    ['parts.md', partsOf(pages)],
    ...pages.map(({ source, text }) => [`${source.page}.md`, text]),
  ]);
  for (const [name, text] of files) files.set(name, await formatted(name, text));
  return files;
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const files = await makeReference();
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(out, name), text);
  writeFileSync(join(root, 'docs/log-events.md'), logEventsPage(logCalls(root)));
  console.log(`written: docs/log-events.md, and ${files.size} pages in ${relative(process.cwd(), out) || '.'}`);
}
