import { Fragment, h, options, type ComponentChild, type ComponentChildren, type VNode } from 'preact';

/** Letters that run from right to left, and marks that turn what follows them around: U+202E and its like. */
const turns =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Elements that hold characters alone, and those that isolate already. */
const plain = new Set([
  'title',
  'option',
  'optgroup',
  'textarea',
  'script',
  'style',
  'template',
  'noscript',
  'text',
  'bdi',
  'bdo',
]);

const isolated = (child: ComponentChild): ComponentChild =>
  typeof child === 'string' && turns.test(child) ? h('bdi', null, child) : child;

function isolatedAll(children: ComponentChildren): ComponentChildren {
  if (!Array.isArray(children)) return isolated(children);
  return children.some((child) => typeof child === 'string' && turns.test(child)) ? children.map(isolated) : children;
}

let isOn = false;

/**
 * Titles, names and texts of users stand in lines with ours on every page: `ada closed this`. One that runs from right to
 * left, or has a mark of direction in it, must not turn the rest of the line around. So every text of a page that could is
 * put into a `<bdi>` of its own, by the one place that all elements pass; pages need not think of it.
 */
export function isolateDirections(): void {
  if (isOn) return;
  isOn = true;
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const isElement = typeof vnode.type === 'string' ? !plain.has(vnode.type) : vnode.type === Fragment;
    const props = vnode.props as { children?: ComponentChildren };
    if (isElement && props.children !== undefined) props.children = isolatedAll(props.children);
    before?.(vnode);
  };
}
