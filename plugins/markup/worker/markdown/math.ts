import type MarkdownIt from 'markdown-it';

/** `$a$`, `` $`a`$ `` and `$$a$$` within a line, `$$` around lines, and fences named `math`: code for the last pass. */
export function math(parser: MarkdownIt): void {
  parser.inline.ruler.after('escape', 'math', (state, silent) => {
    const { src, pos, posMax } = state;
    if (src[pos] !== '$') return false;
    const width = src[pos + 1] === '$' ? 2 : 1;
    const start = pos + width;
    const delimiter = '$'.repeat(width);
    const isQuoted = width === 1 && src[start] === '`';
    const end = isQuoted
      ? src.indexOf('`$', start + 1)
      : width === 2
        ? src.indexOf(delimiter, start)
        : formulaEnd(src, start, state.env as MathEnvironment);
    if (end < 0 || end >= posMax) return false;
    const content = src.slice(start + (isQuoted ? 1 : 0), end);
    const after = end + (isQuoted ? 2 : width);
    // `$a$$b$` are two formulas
    const isBehind = width === 1 && state.pending === '' && state.tokens.at(-1)?.type === 'math_inline';
    const isBefore = width === 1 && /^\$[^\s$]/.test(src.slice(after, after + 2));
    if (!isQuoted && !isFormula(content, isBehind ? '' : src[pos - 1], isBefore ? '' : src[after])) return false;
    if (!silent) {
      const token = state.push('math_inline', 'code', 0);
      token.content = content.trim();
      token.meta = { display: width === 2 };
    }
    state.pos = after;
    return true;
  });
  parser.block.ruler.before(
    'fence',
    'math',
    (state, startLine, endLine, silent) => {
      const start = state.bMarks[startLine]! + state.tShift[startLine]!;
      const first = state.src.slice(start, state.eMarks[startLine]);
      if (!first.startsWith('$$') || state.sCount[startLine]! - state.blkIndent >= 4) return false;
      if (/\$\$\s*$/.test(first.slice(2))) {
        const content = first.trim().slice(2, -2);
        if (!content.trim() || content.includes('$$')) return false;
        if (!silent) pushBlock(startLine + 1, content);
        return true;
      }
      const rest = first.slice(2);
      if (rest.includes('$$')) return false;
      const lines = [rest];
      for (let line = startLine + 1; line < endLine; line++) {
        if (state.sCount[line]! < state.blkIndent && !state.isEmpty(line)) return false;
        const text = state.src.slice(
          state.bMarks[line]! + Math.min(state.tShift[line]!, state.blkIndent),
          state.eMarks[line],
        );
        const isLast = /\$\$\s*$/.test(text);
        lines.push(isLast ? text.trimEnd().slice(0, -2) : text);
        if (isLast) {
          if (!silent) pushBlock(line + 1, lines.join('\n'));
          return true;
        }
      }
      return false;

      function pushBlock(next: number, content: string) {
        const token = state.push('math_block', 'math', 0);
        token.block = true;
        token.content = content.trim();
        token.map = [startLine, next];
        state.line = next;
      }
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
  const { escapeHtml } = parser.utils;
  parser.renderer.rules.math_inline = (tokens, index) => {
    const { content, meta } = tokens[index]!;
    return `<code class="language-math${(meta as { display: boolean }).display ? ' math-display' : ''}">${escapeHtml(content)}</code>`;
  };
  parser.renderer.rules.math_block = (tokens, index) =>
    `<pre><code class="language-math math-display">${escapeHtml(tokens[index]!.content)}</code></pre>\n`;
}

/** Characters of one formula; what is longer is no formula within a line. */
const maxInline = 5_000;
/** Characters that are looked at for the ends of all formulas of a text, each mark anew. */
const maxScanned = 4 << 20;

interface MathEnvironment {
  mathScanned?: number;
}

/** The mark that ends a formula: no escaped one, and none within braces, unless the braces never end. */
function formulaEnd(src: string, start: number, environment: MathEnvironment): number {
  let depth = 0;
  let first = -1;
  const last = Math.min(src.length, start + maxInline);
  for (let at = start; at < last; at++) {
    environment.mathScanned = (environment.mathScanned ?? 0) + 1;
    if (environment.mathScanned > maxScanned) return -1;
    const sign = src[at];
    if (sign === '\\') at++;
    else if (sign === '{') depth++;
    else if (sign === '}') depth--;
    else if (sign === '$') {
      if (depth <= 0) return at;
      if (first < 0) first = at;
    }
  }
  return first;
}

/** Not an amount of money: no blanks inside of the marks, and no word or number around them. */
const isFormula = (content: string, before = '', after = '') =>
  content !== '' &&
  !/^\s|\s$/.test(content) &&
  !/\n\s*\n/.test(content) &&
  !/[\w$\\]/.test(before) &&
  !/[\w$]/.test(after);
