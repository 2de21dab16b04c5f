import type { ShortcutGroup } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** What `islands/shortcuts.ts` and the scripts of code listen to. */
export const shortcutsOfPages: readonly ShortcutGroup[] = [
  {
    key: 'repository',
    order: 10,
    title: t.later('shortcuts.repository'),
    keys: [
      ['/', t.later('shortcuts.search')],
      ['t', t.later('shortcuts.finder')],
      ['y', t.later('shortcuts.permalink')],
      ['?', t.later('shortcuts.help')],
    ],
  },
  { key: 'code', order: 20, title: t.later('shortcuts.code'), keys: [['Shift', t.later('shortcuts.line')]] },
];
