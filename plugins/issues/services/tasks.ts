/**
 * Ticks the task of that number, from 0, in a Markdown text: `- [ ] sweep`. Undefined: there is no such task. Code holds
 * none; the rest is what the renderer makes a box of.
 */
export function tick(text: string, at: number, isDone: boolean): string | undefined {
  let fence = '';
  let count = -1;
  const lines = text.split('\n');
  for (const [number, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      if (mark && mark[0] === fence[0] && mark.length >= fence.length) fence = '';
      continue;
    }
    if (mark) {
      fence = mark;
      continue;
    }
    const found = /^((?:\s|>)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])(\]\s.*)$/.exec(line);
    if (!found || ++count !== at) continue;
    lines[number] = `${found[1]}${isDone ? 'x' : ' '}${found[3]}`;
    return lines.join('\n');
  }
  return undefined;
}
