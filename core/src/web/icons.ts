import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Drawing {
  readonly width: number;
  readonly path: string;
}

const iconReference = 'href="#icon-';
const namePattern = /^[a-z0-9-]+-(16|24)$/;

/** Octicons as SVG symbols; the drawings are read when the first page needs one. */
export class IconSprite {
  private drawings: Map<string, Readonly<Record<string, Drawing>>> | undefined;
  private readonly symbols = new Map<string, string>();

  /** A hidden sprite of exactly the icons that the HTML uses, so that pages need no second request for them. */
  spriteFor(html: string): string {
    const names = new Set<string>();
    for (let at = html.indexOf(iconReference); at >= 0; at = html.indexOf(iconReference, at + iconReference.length)) {
      const name = html.slice(at + iconReference.length, html.indexOf('"', at + iconReference.length));
      if (namePattern.test(name)) names.add(name);
    }
    if (names.size === 0) return '';
    return `<svg class="sprite" aria-hidden="true">${[...names]
      .sort()
      .map((name) => this.symbol(name))
      .join('')}</svg>`;
  }

  private symbol(key: string): string {
    let symbol = this.symbols.get(key);
    if (symbol === undefined) {
      const at = key.lastIndexOf('-');
      symbol = this.draw(key.slice(0, at), key.slice(at + 1));
      this.symbols.set(key, symbol);
    }
    return symbol;
  }

  private draw(name: string, size: string): string {
    const sizes = this.load().get(name);
    const drawing = sizes?.[size] ?? sizes?.['16'] ?? sizes?.['24'];
    // an unknown name shows a hollow square instead of nothing, so that it is noticed
    if (!sizes || !drawing)
      return `<symbol id="icon-${name}-${size}" viewBox="0 0 16 16"><path d="M3 3h10v10H3Zm1.5 1.5v7h7v-7Z"/></symbol>`;
    const height = sizes[size] ? size : sizes['16'] ? '16' : '24';
    return `<symbol id="icon-${name}-${size}" viewBox="0 0 ${drawing.width} ${height}">${drawing.path}</symbol>`;
  }

  private load(): Map<string, Readonly<Record<string, Drawing>>> {
    if (!this.drawings) {
      const file = createRequire(import.meta.url).resolve('@primer/octicons/build/data.json');
      const data = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { heights: Record<string, Drawing> }>;
      this.drawings = new Map(
        Object.entries(data).map(([name, { heights }]) => [
          name,
          Object.fromEntries(Object.entries(heights).map(([height, { width, path }]) => [height, { width, path }])),
        ]),
      );
    }
    return this.drawings;
  }
}
