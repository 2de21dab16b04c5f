import type { Site } from '@mortise/plugin-sdk';
import type { Markup, SafeHtml, Viewer } from '@mortise/markup/api';
import type { Repository } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { encoded } from './release-presenter.js';

/** Notes as safe HTML. */
export class NoteRenderer {
  constructor(
    private readonly markup: Markup,
    private readonly site: Site,
  ) {}

  /** `most`: as many characters are shown; `isCut`: there is more. `whole`: links for readers elsewhere. */
  async html(
    repository: Repository,
    { note, tagName, id }: Pick<Release, 'note' | 'tagName'> & { readonly id?: number },
    { max = Infinity, whole = false, viewer }: { max?: number; whole?: boolean; viewer?: Viewer } = {},
  ): Promise<{ html: SafeHtml; isCut: boolean }> {
    const isCut = note.length > max;
    const text = isCut ? note.slice(0, max) : note;
    const path = `/${repository.ownerName}/${repository.name}`;
    const repositoryPath = whole ? this.site.url(path) : this.site.path(path);
    const html = await this.markup.render(text, {
      kind: 'comment',
      viewer,
      absolute: whole,
      // a page lists several
      ...(id !== undefined && !whole && { idScope: `release-${id}` }),
      linkBase: `${repositoryPath}/src/tag/${encoded(tagName)}`,
      imageBase: `${repositoryPath}/raw/tag/${encoded(tagName)}`,
      repository: `${repository.ownerName}/${repository.name}`,
    });
    return { html, isCut };
  }
}
