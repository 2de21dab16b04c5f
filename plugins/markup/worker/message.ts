import type { RenderTools } from '../contract/markup.js';
import { emoji } from './libraries.js';

const address = /\bhttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,:;!?*_~)\]}]/g;

/** A text without structure, such as a title or the message of a commit: code, emoji and addresses, lines as they are. */
export function renderMessage(text: string, { escape }: RenderTools): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? `<code>${escape(part.slice(1, -1))}</code>` : linked(part, escape)))
    .join('');
}

function linked(text: string, escape: (text: string) => string): string {
  let done = 0;
  let html = '';
  for (const match of text.matchAll(address)) {
    const url = escape(match[0]);
    html += `${escape(emoji.replace(text.slice(done, match.index)))}<a href="${url}">${url}</a>`;
    done = match.index + match[0].length;
  }
  return html + escape(emoji.replace(text.slice(done)));
}
