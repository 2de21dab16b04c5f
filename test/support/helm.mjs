/**
 * Renders the part of Helm's templates that our chart keeps to, so that a test needs neither Helm nor the internet: values
 * and pipes of a few functions, `if`, `with` and `range`. Anything else is an error that names it.
 */
const tag = /\{\{(-?)\s*(.*?)\s*(-?)\}\}/gs;

/** Texts and actions of a template; `{{-` and `-}}` take the white space beside them away. */
function tokensOf(template) {
  const tokens = [];
  let at = 0;
  let trims = false;
  for (const found of template.matchAll(tag)) {
    let text = template.slice(at, found.index);
    if (trims) text = text.trimStart();
    if (found[1]) text = text.trimEnd();
    tokens.push({ text }, { action: found[2] });
    trims = found[3] !== '';
    at = found.index + found[0].length;
  }
  const rest = template.slice(at);
  tokens.push({ text: trims ? rest.trimStart() : rest });
  return tokens;
}

/** A tree of texts, values and blocks. */
function parse(tokens, isInside = false) {
  const nodes = [];
  for (;;) {
    const token = tokens.shift();
    if (!token) {
      if (isInside) throw new Error('a block has no end');
      return nodes;
    }
    if (token.text !== undefined) nodes.push({ text: token.text });
    else if (token.action === 'end') return nodes;
    else {
      const [, block, rest] = /^(if|with|range)\s+(.*)$/s.exec(token.action) ?? [];
      nodes.push(block ? { block, rest, body: parse(tokens, true) } : { value: token.action });
    }
  }
}

const isEmpty = (value) =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export function helmRenderer(stringify) {
  const functions = {
    quote: (value) => JSON.stringify(String(value ?? '')),
    default: (fallback, value) => (isEmpty(value) ? fallback : value),
    not: (value) => isEmpty(value),
    printf: (format, ...values) => format.replace(/%s/g, () => String(values.shift())),
    toYaml: (value) => stringify(value).trimEnd(),
    nindent: (count, text) => `\n${text.replace(/^/gm, ' '.repeat(count))}`,
  };

  const term = (text, scope) => {
    if (text.startsWith('"')) return JSON.parse(text);
    if (/^\d+$/.test(text)) return Number(text);
    if (text.startsWith('(')) return evaluate(text.slice(1, -1), scope);
    const path = /^(\$\w+|\.)?((?:\.?\w+)*)$/.exec(text);
    if (!path) throw new Error(`the chart uses what its test does not render: ${text}`);
    let value = path[1]?.startsWith('$') ? scope[path[1]] : scope.dot;
    for (const name of path[2].split('.').filter(Boolean)) value = value?.[name];
    return value;
  };
  const call = (words, scope, piped) => {
    const [name, ...rest] = words;
    const given = [...rest.map((word) => term(word, scope)), ...piped];
    if (functions[name]) return functions[name](...given);
    if (given.length > 0) throw new Error(`the chart uses a function that its test does not know: ${name}`);
    return term(name, scope);
  };
  const evaluate = (expression, scope) => {
    let piped = [];
    for (const part of expression.match(/(?:"[^"]*"|\([^)]*\)|[^|"(])+/g))
      piped = [call(part.trim().match(/"[^"]*"|\([^)]*\)|\S+/g), scope, piped)];
    return piped[0];
  };
  const render = (nodes, scope) =>
    nodes
      .map((node) => {
        if (node.text !== undefined) return node.text;
        if (node.value !== undefined) return String(evaluate(node.value, scope) ?? '');
        const [, names, list] = /^(?:(\$\w+, \$\w+) := )?(.*)$/s.exec(node.rest);
        const value = evaluate(list, scope);
        if (isEmpty(value)) return '';
        if (node.block === 'if') return render(node.body, scope);
        if (node.block === 'with') return render(node.body, { ...scope, dot: value });
        const [key, item] = names.split(', ');
        // as Helm does: in the order of the keys
        return Object.keys(value)
          .sort()
          .map((one) => render(node.body, { ...scope, [key]: one, [item]: value[one] }))
          .join('');
      })
      .join('');
  return (template, context) => render(parse(tokensOf(template)), { dot: context });
}
