import type { ComponentChildren, VNode } from 'preact';
import { IslandTexts, FragmentCache } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** What pages of code stand in: where `t` finds files, and the texts of the shortcuts. */
export const CodeBody = ({
  find,
  class: look,
  children,
}: {
  /** Address of the page that finds files. */
  find: string;
  class?: string;
  children: ComponentChildren;
}): VNode => (
  <div data-find={find} class={look}>
    <FragmentCache name="history.keys" cacheKey="">
      {() => <Keys />}
    </FragmentCache>
    {children}
  </div>
);

const Keys = (): VNode => (
  <IslandTexts
    name="shortcuts"
    texts={{
      title: t('keys.title'),
      find: t('keys.find'),
      permalink: t('keys.permalink'),
      search: t('keys.search'),
      help: t('keys.help'),
      close: t('keys.close'),
    }}
  />
);
