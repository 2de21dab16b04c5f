import type { VNode } from 'preact';
import { icon, textOf } from '@mortise/plugin-sdk';
import type { LineAction } from '../contract/files.js';
import { t } from '../texts/index.js';

interface LineMenuProps {
  /** Of this version of the file, with its lines. */
  readonly permalink: string;
  /** Undefined: there is none of this file. */
  readonly blame: string | undefined;
  readonly actions: readonly LineAction[];
  readonly repositoryPath: string;
}

/** What can be done with the lines that somebody chose: the island `line-menu` puts it beside them. */
export const LineMenu = ({ permalink, blame, actions, repositoryPath }: LineMenuProps): VNode => (
  <>
    <button
      type="button"
      class="btn-octicon line-menu-button"
      popovertarget="line-menu"
      aria-label={t('lines.menu')}
      title={t('lines.menu')}
      hidden
    >
      {icon('kebab-horizontal')}
    </button>
    <div class="menu-body line-menu" id="line-menu" popover="auto" data-permalink={permalink}>
      <button type="button" data-copy-text="" data-copied={t('lines.copied')} data-line-copy hidden>
        {icon('copy')} {t('lines.copy')}
      </button>
      <button type="button" data-copy-text="" data-copied={t('lines.copied')} data-line-link hidden>
        {icon('link')} {t('lines.copyLink')}
      </button>
      {blame === undefined ? null : (
        <a href={blame} data-line-href={blame}>
          {icon('history')} {t('lines.blame')}
        </a>
      )}
      {actions.map(({ label, icon: glyph, href, parameter }) => (
        <a href={`${repositoryPath}/${href}`} data-line-parameter={parameter}>
          {icon(glyph)} {textOf(label)}
        </a>
      ))}
    </div>
  </>
);
