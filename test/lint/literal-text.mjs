/**
 * Finds words that people read and that stand in a page instead of a catalogue (docs/translating.md): text between tags,
 * attributes that are shown or read out, and the same names as properties, as in `webPage({ title: 'Settings' })`.
 */

/** Attributes and properties whose values people read. */
const shown = new Set([
  'title',
  'label',
  'placeholder',
  'alt',
  'note',
  'help',
  'confirm',
  'aria-label',
  'aria-description',
  'aria-roledescription',
]);
/** Of objects only: the texts of messages at the top of a page. */
const shownProperties = new Set([...shown, 'text']);
/** What stands in these is the same in all languages. */
const untranslated = new Set(['code', 'kbd', 'pre', 'samp', 'var', 'script', 'style']);

/** Addresses are the same everywhere. */
const hasWords = (text) => /\p{L}/u.test(text) && !/^\s*\w+:\/\/\S*$/.test(text);
/** `text: 'utf8'` is none; "Saved", "not found" and "你好" are. */
const readsAsText = (text) => /^[^\p{Ll}\W\d]|\p{L}[\s.…?!:]|[^\x00-\x7f]/u.test(text.trim()) && hasWords(text);

const nameOf = (node) => (node?.type === 'JSXIdentifier' || node?.type === 'Identifier' ? node.name : undefined);

function inUntranslated(node) {
  for (let at = node.parent; at; at = at.parent)
    if (at.type === 'JSXElement' && untranslated.has(nameOf(at.openingElement.name))) return true;
  return false;
}

/** Literals that an expression can turn out as: `a ? 'x' : 'y'`, `a && 'x'`, `` `${a} files` ``, `'x' + a`. */
function* literalsIn(node) {
  if (!node) return;
  if (node.type === 'Literal' && typeof node.value === 'string') yield { node, text: node.value };
  else if (node.type === 'TemplateLiteral')
    yield { node, text: node.quasis.map(({ value }) => value.cooked ?? '').join(' ') };
  else if (node.type === 'ConditionalExpression') {
    yield* literalsIn(node.consequent);
    yield* literalsIn(node.alternate);
  } else if (node.type === 'LogicalExpression') {
    yield* literalsIn(node.left);
    yield* literalsIn(node.right);
  } else if (node.type === 'BinaryExpression' && node.operator === '+') {
    yield* literalsIn(node.left);
    yield* literalsIn(node.right);
  } else if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression')
    yield* literalsIn(node.expression);
}

export const literalText = {
  meta: {
    type: 'problem',
    docs: { description: 'Texts of pages come from catalogues' },
    messages: {
      literal: 'Put "{{text}}" into the catalogue: t(\'…\') (docs/translating.md).',
      message: 'The message of an error is English: pages show its text (docs/translating.md).',
    },
    schema: [],
  },
  create(context) {
    const report = (node, text) =>
      context.report({ node, messageId: 'literal', data: { text: text.trim().replace(/\s+/g, ' ').slice(0, 40) } });
    const reportMessage = (node) => {
      if (
        node?.type === 'MemberExpression' &&
        nameOf(node.property) === 'message' &&
        /[eE]rror|[pP]roblem|refusal/.test(nameOf(node.object) ?? '')
      )
        context.report({ node, messageId: 'message' });
    };
    return {
      JSXText(node) {
        if (hasWords(node.value.replace(/&\w+;/g, '')) && !inUntranslated(node)) report(node, node.value);
      },
      JSXExpressionContainer(node) {
        reportMessage(node.expression);
        if (node.parent.type === 'JSXAttribute' || inUntranslated(node)) return;
        for (const { node: literal, text } of literalsIn(node.expression)) if (hasWords(text)) report(literal, text);
      },
      JSXAttribute(node) {
        const name = node.name.type === 'JSXIdentifier' ? node.name.name : '';
        if (!shown.has(name)) return;
        const value = node.value?.type === 'JSXExpressionContainer' ? node.value.expression : node.value;
        for (const { node: literal, text } of literalsIn(value)) if (hasWords(text)) report(literal, text);
      },
      Property(node) {
        const name = node.key.type === 'Literal' ? node.key.value : nameOf(node.key);
        if (node.computed || !shownProperties.has(name)) return;
        reportMessage(node.value);
        for (const { node: literal, text } of literalsIn(node.value)) if (readsAsText(text)) report(literal, text);
      },
    };
  },
};
