import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { RenderTools } from '../../contract/markup.js';

/** A renderer as another plugin would bring it, with every way to go wrong. */
export default function render(text: string, tools: RenderTools): string {
  const word = text.trim();
  if (word === 'fail') throw new Error('a renderer that fails');
  if (word === 'hang') for (;;);
  if (word === 'grow') for (const all: unknown[] = []; ;) all.push(new Array(1000).fill(Math.random()));
  if (word === 'flood') return 'x'.repeat(20 << 20);
  if (word === 'require') return requireThisModule();
  return `<b>${text}</b><script>x</script>${tools.markdown('*ok*')}${tools.code('let a = 1;', 'js')}`;
}

function requireThisModule(): string {
  try {
    createRequire(import.meta.url)(fileURLToPath(import.meta.url));
    return 'required';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}
