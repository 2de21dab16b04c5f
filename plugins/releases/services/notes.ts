import type { Site } from '@mortise/plugin-sdk';
import type { Markup } from '@mortise/markup/api';
import type { Repository } from '@mortise/repositories/api';
import type { Release } from '../api.js';
import { encoded } from './present.js';

/** Beyond this a note is shown as it was written: rendering must not cost a reader more than a moment. */
const mostRendered = 256 << 10;

/** Notes as safe HTML. */
export class NoteRenderer {
  constructor(
    private readonly markup: Markup,
    private readonly site: Site,
  ) {}

  /** `most`: as many characters are shown; `isCut`: there is more. `whole`: links for readers elsewhere. */
  html(
    repository: Repository,
    { note, tagName }: Pick<Release, 'note' | 'tagName'>,
    { most = Infinity, whole = false }: { most?: number; whole?: boolean } = {},
  ): { html: string; isCut: boolean } {
    const isCut = note.length > most;
    const text = isCut ? note.slice(0, most) : note;
    if (text.length > mostRendered)
      return {
        html: `<pre style="white-space: pre-wrap">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`,
        isCut,
      };
    const path = `/${repository.ownerName}/${repository.name}`;
    const home = whole ? this.site.url(path) : this.site.path(path);
    const html = this.markup.renderMarkdown(text, {
      linkBase: `${home}/src/tag/${encoded(tagName)}`,
      imageBase: `${home}/raw/tag/${encoded(tagName)}`,
      repository: `${repository.ownerName}/${repository.name}`,
      hardBreaks: true,
    });
    return { html, isCut };
  }
}
