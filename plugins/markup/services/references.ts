import type { Logger, PointReader } from '@mortise/plugin-sdk';
import type { FoundReference, ReferencePattern } from '../worker/tasks.js';
import type { MarkupReference, ReferenceContext, ReferenceLink, TextKind } from '../contract/markup.js';

/** Different texts of one kind that are looked up for one text; further ones stay text. */
const maxLookUps = 200;
/** Of several texts as many references together are looked up at once; of more, those of each text by themselves. */
const maxShared = 10;

/** The kinds that count in one text, in the order in which they are asked. */
export interface ActiveKind {
  readonly kind: MarkupReference;
  readonly pattern: ReferencePattern;
}

/** The link of the reference with that number in its text. */
export type LinkOf = (reference: number) => ReferenceLink | undefined;

/** Asks the kinds of references for what a text may refer to. */
export class References {
  constructor(
    private readonly kinds: PointReader<MarkupReference>,
    private readonly shortIn: (kind: TextKind) => boolean,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  async in(context: ReferenceContext): Promise<readonly ActiveKind[]> {
    const short = this.shortIn(context.kind);
    const active = await Promise.all(
      this.kinds.list().map(async (kind): Promise<ActiveKind | undefined> => {
        if (kind.isShort && !short) return undefined;
        const { pattern } = kind;
        if (typeof pattern !== 'function') return { kind, pattern: { source: pattern.source, flags: pattern.flags } };
        const source = await this.#try(kind, () => pattern(context), undefined);
        return source === undefined ? undefined : { kind, pattern: { source, flags: '', isForeign: true } };
      }),
    );
    return active.filter((one) => one !== undefined);
  }

  /** For each reference the link of the first kind that knows it. */
  async resolve(
    found: readonly FoundReference[],
    active: readonly ActiveKind[],
    context: ReferenceContext,
  ): Promise<LinkOf> {
    if (found.length === 0) return () => undefined;
    const asked = active.map(() => new Set<string>());
    for (const { text, patterns } of found)
      for (const index of patterns) {
        const texts = asked[index];
        if (texts && texts.size < maxLookUps) texts.add(text);
      }
    const known = await Promise.all(
      active.map(({ kind }, index) =>
        asked[index]!.size === 0
          ? undefined
          : this.#try(kind, () => kind.resolve([...asked[index]!], context), undefined),
      ),
    );
    return (reference) => {
      const { text, patterns } = found[reference]!;
      for (const index of patterns) {
        const link = known[index]?.get(text);
        if (link) return link;
      }
      return undefined;
    };
  }

  /** The same for each of several texts, which often name the same few things. */
  async resolveAll(
    texts: readonly (readonly FoundReference[])[],
    active: readonly ActiveKind[],
    context: ReferenceContext,
  ): Promise<LinkOf[]> {
    const all = texts.flat();
    if (new Set(all.map(({ text }) => text)).size > maxShared)
      return Promise.all(texts.map((found) => this.resolve(found, active, context)));
    const link = await this.resolve(all, active, context);
    let before = 0;
    return texts.map((found) => {
      const first = before;
      before += found.length;
      return (reference) => link(first + reference);
    });
  }

  /** A look-up that fails leaves text as it was: it must not cost the page. */
  async #try<T>(kind: MarkupReference, look: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await look();
    } catch (error) {
      this.log.warn('could not look up references', {
        event: 'markup.references',
        kind: kind.key,
        plugin: this.kinds.ownerOf(kind),
        error: String(error),
      });
      return otherwise;
    }
  }
}
