import {
  withFallback,
  type PaletteItem,
  type PaletteRequest,
  type PaletteSource,
  type PointReader,
} from '@mortise/plugin-sdk';

/** Rows of a section. */
const maxItems = 5;
/** How long a source may take; what comes later is left out. */
const timeoutMs = 200;

/** What a source gave. */
export interface PaletteSection extends Pick<PaletteSource, 'key' | 'label' | 'isMenu'> {
  readonly items: readonly PaletteItem[];
}

/** Asks all sources at once. */
export class Palette {
  readonly maxItems = maxItems;

  constructor(private readonly sources: PointReader<PaletteSource>) {}

  async sections(asked: Omit<PaletteRequest, 'limit'>): Promise<readonly PaletteSection[]> {
    const request = { ...asked, limit: maxItems };
    // menus are for who looks for something in them
    const sources = this.sources.list().filter(({ isMenu }) => !isMenu || request.text);
    const found = await Promise.all(sources.map((source) => withFallback(source.find(request), [], timeoutMs)));
    return sources.map(({ key, label, isMenu }, at) => ({
      key,
      label,
      isMenu,
      items: isMenu ? found[at]! : found[at]!.slice(0, maxItems),
    }));
  }
}
