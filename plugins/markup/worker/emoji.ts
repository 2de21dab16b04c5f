import { createRequire } from 'node:module';
import type * as Gemoji from 'gemoji';

const require = createRequire(import.meta.url);

/** Names of emoji; the table is loaded with the first text that has one. */
export class Emoji {
  #names: Map<string, string> | undefined;

  /** Names in plain text become emoji: `:tada:`. */
  replace(text: string): string {
    if (!/:[a-z0-9+-]/.test(text)) return text;
    return text.replace(/:([a-z0-9_+-]{1,64}):/g, (whole, name: string) => {
      return this.#known().get(name) ?? whole;
    });
  }

  /** Those whose names hold the text; those that begin with it first. */
  find(text: string, limit: number): { name: string; emoji: string }[] {
    const matches: { name: string; emoji: string }[][] = [[], []];
    for (const [name, emoji] of this.#known())
      if (name.includes(text)) matches[name.startsWith(text) ? 0 : 1]!.push({ name, emoji });
    return matches.flat().slice(0, limit);
  }

  #known(): Map<string, string> {
    return (this.#names ??= new Map(Object.entries((require('gemoji') as typeof Gemoji).nameToEmoji)));
  }
}
