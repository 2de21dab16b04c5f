/// <reference lib="dom" />
import { insert } from './files.js';

/** `  - [ ] `, `3. `, `* `: what a line of a list begins with. */
const item = /^(\s*)((?:[-*+]|(\d{1,9})([.)]))\s+)(\[[ xX]\]\s+)?/;
const indent = '  ';

/** Lists go on with Enter, and Tab and Shift+Tab move a line of a list; elsewhere both keys do what they always do. */
export function continueLists(area: HTMLTextAreaElement): void {
  area.addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (area.selectionStart !== area.selectionEnd) return;
    const at = area.selectionStart;
    const start = area.value.lastIndexOf('\n', at - 1) + 1;
    const line = area.value.slice(start, at);
    const found = item.exec(line);
    if (!found) return;
    const [marker, space = '', bullet = '', number, sign = '', task = ''] = found;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      // Enter behind an empty item ends the list
      if (line === marker) return replace(area, start, at, '');
      const next = number ? `${Number(number) + 1}${sign} ` : bullet;
      insert(area, `\n${space}${next}${task && '[ ] '}`);
    } else if (event.key === 'Tab') {
      if (event.shiftKey && space.length < indent.length) return;
      event.preventDefault();
      if (event.shiftKey) replace(area, start, start + indent.length, '', at - indent.length);
      else replace(area, start, start, indent, at + indent.length);
    }
  });
}

function replace(area: HTMLTextAreaElement, from: number, to: number, text: string, caret?: number): void {
  area.setRangeText(text, from, to, 'end');
  if (caret !== undefined) area.setSelectionRange(caret, caret);
  area.dispatchEvent(new Event('input', { bubbles: true }));
}
