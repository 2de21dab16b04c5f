import type MarkdownIt from 'markdown-it';
import type { Delimiter } from 'markdown-it/lib/rules_inline/state_inline.mjs';
import type StateInline from 'markdown-it/lib/rules_inline/state_inline.mjs';

const tilde = 0x7e;
/** Marks of runs of one tilde, which end no run of two. */
const single = 0x10000 + tilde;

/** One tilde or two around a text, as the strikethrough extension of GFM has it; longer runs are text. */
export function strikethrough(parser: MarkdownIt): void {
  parser.inline.ruler.at('strikethrough', (state, silent) => {
    if (silent || state.src.charCodeAt(state.pos) !== tilde) return false;
    const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true);
    const token = state.push('text', '', 0);
    token.content = '~'.repeat(length);
    if (length <= 2) {
      const marker = length === 1 ? single : tilde;
      // a length of 0 keeps rules for emphasis away
      state.delimiters.push({ marker, length: 0, token: state.tokens.length - 1, end: -1, open, close });
    }
    state.pos += length;
    return true;
  });
  parser.inline.ruler2.at('strikethrough', (state) => {
    strike(state, state.delimiters);
    for (const meta of state.tokens_meta) if (meta?.delimiters) strike(state, meta.delimiters);
    return true;
  });
}

function strike({ tokens }: StateInline, delimiters: readonly Delimiter[]): void {
  for (const { marker, end, token } of delimiters) {
    if ((marker !== tilde && marker !== single) || end < 0) continue;
    for (const [at, nesting, type] of [
      [token, 1, 's_open'],
      [delimiters[end]!.token, -1, 's_close'],
    ] as const)
      Object.assign(tokens[at]!, { type, tag: 's', nesting, markup: tokens[at]!.content, content: '' });
  }
}
