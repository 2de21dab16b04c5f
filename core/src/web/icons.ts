import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const iconReference = Buffer.from('href="#icon-');
const quote = '"'.charCodeAt(0);
const maxName = 100;
const maxSprites = 200;
const none = Buffer.alloc(0);
const namePattern = /^[a-z0-9-]+-(16|24)$/;

/** Octicons as SVG symbols; a drawing is read when the first page needs it. */
export class IconSprite {
  private folder: string | undefined;
  private readonly symbols = new Map<string, string>();
  private readonly sprites = new Map<string, Buffer>();

  /** A hidden sprite of exactly the icons that the HTML uses, so that pages need no second request for them. */
  spriteFor(html: readonly Buffer[]): Buffer {
    const names = new Set<string>();
    for (const part of html) findNames(part, names);
    if (names.size === 0) return none;
    const sorted = [...names].sort();
    const key = sorted.join();
    let sprite = this.sprites.get(key);
    if (sprite === undefined) {
      const symbols = sorted.map((name) => this.symbol(name)).join('');
      sprite = Buffer.from(`<svg class="sprite" aria-hidden="true">${symbols}</svg>`);
      // pages differ in few ways; who makes them differ in many gains nothing
      if (this.sprites.size >= maxSprites) this.sprites.clear();
      this.sprites.set(key, sprite);
    }
    return sprite;
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
    const other = size === '16' ? '24' : '16';
    const [, viewBox, drawing] = this.read(`${name}-${size}`) ?? this.read(`${name}-${other}`) ?? [];
    // an unknown name shows a hollow square instead of nothing, so that it is noticed
    return viewBox && drawing
      ? `<symbol id="icon-${name}-${size}" viewBox="${viewBox}">${drawing}</symbol>`
      : `<symbol id="icon-${name}-${size}" viewBox="0 0 16 16"><path d="M3 3h10v10H3Zm1.5 1.5v7h7v-7Z"/></symbol>`;
  }

  /** Each by itself: the one file that holds all of them is a megabyte of JSON. */
  private read(name: string): RegExpExecArray | null | undefined {
    this.folder ??= join(dirname(createRequire(import.meta.url).resolve('@primer/octicons/build/data.json')), 'svg');
    try {
      const text = readFileSync(join(this.folder, `${name}.svg`), 'utf8');
      return /^<svg [^>]*viewBox="([\d ]+)"[^>]*>(.*)<\/svg>\s*$/s.exec(text);
    } catch {
      return undefined;
    }
  }
}

function findNames(html: Buffer, names: Set<string>): void {
  for (let at = html.indexOf(iconReference); at >= 0; at = html.indexOf(iconReference, at)) {
    at += iconReference.length;
    const end = html.indexOf(quote, at);
    const name = html.toString('latin1', at, Math.min(end, at + maxName));
    if (namePattern.test(name)) names.add(name);
  }
}
