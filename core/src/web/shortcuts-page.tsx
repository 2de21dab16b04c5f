import { textOf, webPage, type ShortcutGroup, type WebPage } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

interface KeysProps {
  readonly title: string;
  readonly keys: readonly (readonly [key: string, text: string])[];
}

const Keys = ({ title, keys }: KeysProps): VNode => (
  <section class="mb-4">
    <h2 class="f4 mb-2">{title}</h2>
    <dl class="shortcuts">
      {keys.map(([key, text]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </section>
);

const Shortcuts = ({ groups }: { groups: readonly ShortcutGroup[] }): VNode => (
  <div>
    <h1 class="f2 text-normal mb-3">{t('shortcuts.title')}</h1>
    <p class="color-fg-muted">{t.rich('shortcuts.note', { key: <kbd>?</kbd> })}</p>
    <Keys title={t('shortcuts.everywhere')} keys={[['Esc', t('shortcuts.close')]]} />
    {groups.map(({ key, title, keys }) => (
      <Keys key={key} title={textOf(title)} keys={keys.map(([name, does]) => [name, textOf(does)])} />
    ))}
  </div>
);

/** All keys that pages know, for who looks for them. */
export const shortcutsPage = (groups: readonly ShortcutGroup[]): WebPage =>
  webPage({ title: t.later('shortcuts.title'), width: 'narrow', body: <Shortcuts groups={groups} /> });
