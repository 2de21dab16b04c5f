import { h, type VNode } from 'preact';

/** An octicon by name, drawn by the shell's sprite: `icon('repo')`. Decorative unless `label` is given. */
export function icon(name: string, options: { size?: 16 | 24; label?: string; class?: string } = {}): VNode {
  const size = options.size ?? 16;
  return h(
    'svg',
    {
      class: `octicon octicon-${name}${options.class ? ` ${options.class}` : ''}`,
      width: size,
      height: size,
      viewBox: `0 0 ${size} ${size}`,
      fill: 'currentColor',
      ...(options.label ? { role: 'img', 'aria-label': options.label } : { 'aria-hidden': 'true' }),
    },
    h('use', { href: `#icon-${name}-${size}` }),
  );
}
