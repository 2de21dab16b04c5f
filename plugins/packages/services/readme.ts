import { definePoint, type Keyed } from '@mortise/plugin-sdk';
import type { Markup, SafeHtml, Viewer } from '@mortise/markup/api';

/** Renders readmes where something is there that does; inside this plugin only. */
export interface ReadmeRenderer extends Keyed {
  /** Undefined: nothing renders such files, or it is too long. */
  render(readme: { readonly fileName: string; readonly text: string }, viewer: Viewer): Promise<SafeHtml | undefined>;
}
export const readmeRenderers = definePoint.keyed<ReadmeRenderer>('packages.readmeRenderers');

/** Longer ones are shown as they are. */
const maxLength = 1 << 19;

export const readmeRenderer = (markup: Markup): ReadmeRenderer => ({
  key: 'markup',
  render: async ({ fileName, text }, viewer) =>
    text.length > maxLength ? undefined : markup.renderFile(fileName, text, { kind: 'document', viewer }),
});
