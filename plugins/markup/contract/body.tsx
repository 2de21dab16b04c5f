import type { VNode } from 'preact';
import { IslandTexts } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { SafeHtml } from './html.js';
import { Outline } from './outline.js';

/** What pages with rendered texts or code name in `islands`: styles for light and dark, copy buttons, diagrams. */
export const markupIslands = ['highlight', 'markup'] as const;

const labels = {
  'Completed task': 'completedTask',
  'Incomplete task': 'incompleteTask',
  'Link to this section': 'linkToSection',
} as const;

interface MarkupBodyProps {
  readonly html: SafeHtml;
  readonly class?: string;
  /** A long text has a button that unfolds its headings. */
  readonly outline?: boolean;
}

/** A rendered text in a page, with its labels in the page's language. The page names {@link markupIslands}. */
export function MarkupBody({ html, class: classes = '', outline = false }: MarkupBodyProps): VNode {
  return (
    <div class={`markup ${classes}`.trimEnd()}>
      {outline ? <Outline html={html} /> : null}
      <div class="markdown-body" dangerouslySetInnerHTML={{ __html: translated(html) }} />
      {/ class="(?:markup-code|markup-table|anchor)"/.test(html) ? <MarkupTexts /> : null}
    </div>
  );
}

/** What the sanitizer lets nobody else write is ours. */
function translated(html: SafeHtml): string {
  if (t('note') === 'Note') return html;
  return html
    .replace(
      / aria-label="(Completed task|Incomplete task|Link to this section)"/g,
      (_, label: keyof typeof labels) => ` aria-label="${t(labels[label])}"`,
    )
    .replace(
      /<p class="markdown-alert-title">(Note|Tip|Important|Warning|Caution)<\/p>/g,
      (_, kind: string) =>
        `<p class="markdown-alert-title">${t(kind.toLowerCase() as 'note' | 'tip' | 'important' | 'warning' | 'caution')}</p>`,
    );
}

const MarkupTexts = (): VNode => (
  <IslandTexts
    name="markup"
    texts={{
      code: t('code'),
      table: t('table'),
      copy: t('copy'),
      copied: t('copied'),
      diagram: t('diagram'),
      showSource: t('showSource'),
      showDiagram: t('showDiagram'),
      fullSize: t('fullSize'),
      fitSize: t('fitSize'),
      diagramFailed: t('diagramFailed', { reason: '{reason}' }),
    }}
  />
);
