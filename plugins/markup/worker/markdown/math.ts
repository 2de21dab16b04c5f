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
    // The next mark is the only one that can end it, so each text is looked at once.
    const end = isQuoted ? src.indexOf('`$', start + 1) : src.indexOf(delimiter, start);
    if (end < 0 || end >= posMax) return false;
    const content = src.slice(start + (isQuoted ? 1 : 0), end);
    const after = end + (isQuoted ? 2 : width);
    if (!isQuoted && !isFormula(content, src[pos - 1], src[after])) return false;
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

/** Not an amount of money: no blanks inside of the marks, and no word or number around them. */
const isFormula = (content: string, before = '', after = '') =>
  content !== '' &&
  !/^\s|\s$/.test(content) &&
  !/\n\s*\n/.test(content) &&
  !/[\w$\\]/.test(before) &&
  !/[\w$]/.test(after);
