// The log calls of product code: `docs/log-events.md` is made of them by `npm run docs`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const levels = new Set(['info', 'warn', 'error']);
const lastName = (node) => (ts.isPropertyAccessExpression(node) ? node.name.text : node.getText());

/** `log`, `host.log`, `this.#log`, and that of a plugin: `log.of(owner)`, `logOf(owner)`, `(logOf?.(owner) ?? log)`. */
function isLog(node) {
  if (ts.isParenthesizedExpression(node)) return isLog(node.expression);
  if (ts.isBinaryExpression(node)) return isLog(node.left) || isLog(node.right);
  if (!ts.isCallExpression(node)) return /^#?log$/.test(lastName(node));
  const { expression: callee } = node;
  return lastName(callee) === 'logOf' || (lastName(callee) === 'of' && isLog(callee.expression));
}

/** The log of a workflow's job is for its author, not for operators. */
const isProduct = (file) =>
  !/(^|\/)tests?\/|^core\/src\/cli\/templates\/|^plugins\/actions-runner\/engine\//.test(file);

const propertyOf = (node, name) =>
  node && ts.isObjectLiteralExpression(node)
    ? node.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === name)?.initializer
    : undefined;

/** What the log says: a text, with `…` for what only the call knows; nothing where the whole message is made elsewhere. */
function messageOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '';
  return [node.head.text, ...node.templateSpans.map(({ literal }) => `…${literal.text}`)].join('');
}

/** Each call of a log in a file, with its event where the call names one as a literal. */
export function logCallsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const calls = [];
  const visit = (node) => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const { name, expression } = node.expression;
    if (!levels.has(name.text) || !isLog(expression)) return;
    const [message, fields] = node.arguments;
    const event = propertyOf(fields, 'event');
    calls.push({
      file,
      line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
      level: name.text,
      event: event && ts.isStringLiteral(event) ? event.text : undefined,
      message: messageOf(message),
    });
  };
  visit(source);
  return calls;
}

/** Of all product code that git tracks. */
export function logCalls(root) {
  const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' }).split('\0');
  return files
    .filter((file) => file && isProduct(file))
    .flatMap((file) => logCallsIn(file, readFileSync(join(root, file), 'utf8')));
}

const writerOf = (file) => file.split('/')[file.startsWith('plugins/') ? 1 : 0];

/** The page for operators: each event once, with everything that is said of it. */
export function logEventsPage(calls) {
  const rows = new Map();
  for (const { file, level, event, message } of calls) {
    const row = rows.get(event) ?? { levels: new Set(), writers: new Set(), messages: new Set() };
    rows.set(event, row);
    row.levels.add(level);
    row.writers.add(writerOf(file));
    row.messages.add(message || '(varies)');
  }
  const cell = (values) => [...values].sort().join('; ').replaceAll('|', '\\|');
  return [
    '# Log events',
    '',
    'Made by `npm run docs` from the log calls of the code. Lines of level `info` and above carry one of these keys as `event`:',
    'filter and alert on it rather than on `msg`, which may be reworded. `…` stands for what only the moment knows.',
    '',
    '| event | level | written by | message |',
    '|---|---|---|---|',
    ...[...rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([event, row]) => `| \`${event}\` | ${cell(row.levels)} | ${cell(row.writers)} | ${cell(row.messages)} |`),
    '',
  ].join('\n');
}
