/**
 * Keeps words out of names that a reader could not know from git hosts, hapi, SQL or HTTP, or that have another name in
 * this project by now. Names are split into words, `takeOver` into `take` and `over`; an entry of several words stands for
 * words that follow each other. The list grows: a word is added when its last name is gone.
 *
 * Names in tests may belong to the story that the test tells, so only file names are checked there.
 */

/** What is not said → what is said instead. */
export const plainWords = {
  admission: 'provisioning',
  'added plugins': 'installed plugins',
  arrivals: 'pending sign-ins',
  'at most': 'max',
  culprit: 'error owner',
  desk: 'service',
  'fair turns': 'render queue',
  'fresh cache': 'query cache',
  gatherer: 'aggregator',
  'in turns': 'chunked render',
  joint: 'group commit',
  judged: 'trusted',
  'keep keys': 'sync authorized keys',
  'kept answers': 'response cache',
  'kept part': 'fragment cache',
  'kept tables': 'template database',
  'later part': 'lazy fragment',
  leavings: 'orphans',
  measures: 'metrics',
  misfits: 'incompatibilities',
  most: 'max',
  obey: 'workflow command',
  occasion: 'trigger event',
  patiently: 'retry',
  'plugin fault': 'plugin error',
  'plugin faults': 'plugin errors',
  remark: 'tag',
  'sealed cookie': 'encrypted cookie',
  'sealed fields': 'encrypted fields',
  serving: 'running instance',
  'settings book': 'settings registry',
  'statement later': 'pipelined',
  'take over': 'adopt',
  'token places': 'token usage',
  unfold: 'expand',
  unheard: 'missing subscribers',
  vault: 'encryption',
  'weight of': 'estimated size',
  whoever: 'user',
  wished: 'preferred',
};

/** Names that stay, each with its reason. */
export const exceptions = {
  '0001_take_over_contents': 'the database holds the names of migrations that ran',
};

/** `#isTakenOver`, `take-over.test`, `TAKE_OVER` → ` take over `, so that whole words are found in it. */
const wordsOf = (name) =>
  ` ${name
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(' ')} `;

export function unplainWord(name) {
  if (Object.hasOwn(exceptions, name)) return undefined;
  const words = wordsOf(name);
  return Object.keys(plainWords).find((word) => words.includes(` ${word} `));
}

/** The identifiers that a parameter or variable declares. Shorthands of patterns are declared elsewhere. */
function declaredIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern];
    case 'TSParameterProperty':
      return declaredIn(pattern.parameter);
    case 'AssignmentPattern':
      return declaredIn(pattern.left);
    case 'RestElement':
      return declaredIn(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap(declaredIn);
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => (one.shorthand ? [] : declaredIn(one.value ?? one)));
    default:
      return [];
  }
}

export const plainNames = {
  meta: {
    type: 'problem',
    docs: { description: 'Names are words of the field' },
    messages: { word: '"{{name}}" says "{{word}}": this project says "{{instead}}" (test/lint/plain-names.mjs).' },
    schema: [],
  },
  create(context) {
    const check = (node, name) => {
      const word = unplainWord(name);
      if (word) context.report({ node, messageId: 'word', data: { name, word, instead: plainWords[word] } });
    };
    const path = context.filename.replaceAll('\\', '/');
    const Program = (node) => check(node, path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, ''));
    if (/(^|\/)tests?\//.test(path)) return { Program };
    const checkAll = (patterns) => {
      for (const identifier of patterns.flatMap(declaredIn)) check(identifier, identifier.name);
    };
    const named = ({ id }) => checkAll([id]);
    const keyed = ({ key, computed }) => {
      if (!computed && (key.type === 'Identifier' || key.type === 'PrivateIdentifier')) check(key, key.name);
    };
    const called = ({ id, params }) => checkAll([id, ...params]);
    return {
      Program,
      VariableDeclarator: named,
      ClassDeclaration: named,
      TSInterfaceDeclaration: named,
      TSTypeAliasDeclaration: named,
      FunctionDeclaration: called,
      FunctionExpression: called,
      ArrowFunctionExpression: called,
      MethodDefinition: keyed,
      PropertyDefinition: keyed,
      TSPropertySignature: keyed,
      TSMethodSignature(node) {
        keyed(node);
        checkAll(node.params);
      },
    };
  },
};
