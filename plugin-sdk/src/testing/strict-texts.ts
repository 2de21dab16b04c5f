import { options, type ComponentChildren, type VNode } from 'preact';
import { strictTexts } from '../language.js';

let watching = false;

const holdsFunction = (children: ComponentChildren): boolean =>
  typeof children === 'function' || (Array.isArray(children) && children.some(holdsFunction));

/**
 * Makes two mistakes errors in this process: a text that is made while no page is being rendered (it would be English
 * whoever asks), and a `Text` that is put into an element without `textOf` (nothing would be shown).
 */
export function watchTexts(): void {
  strictTexts();
  if (watching) return;
  watching = true;
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const { children } = vnode.props as { children?: ComponentChildren };
    if (typeof vnode.type === 'string' && holdsFunction(children))
      throw new Error(`<${vnode.type}> holds a function: a Text is put into a page with textOf(text)`);
    before?.(vnode);
  };
}
