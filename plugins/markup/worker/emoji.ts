import type * as Gemoji from 'gemoji';

/** Emoji by their names, without colons. */
export type EmojiNames = ReadonlyMap<string, string>;

export const namesOf = ({ nameToEmoji }: typeof Gemoji): EmojiNames => new Map(Object.entries(nameToEmoji));

/** Names of emoji; the table is asked for with the first text that has one. */
export class Emoji {
  constructor(private readonly names: () => EmojiNames) {}

  /** Names in plain text become emoji: `:tada:`. */
  replace(text: string): string {
    if (!/:[a-z0-9+-]/.test(text)) return text;
    return text.replace(/:([a-z0-9_+-]{1,64}):/g, (whole, name: string) => {
      return this.names().get(name) ?? whole;
    });
  }

  /** Those whose names hold the text; those that begin with it first. */
  find(text: string, limit: number): { name: string; emoji: string }[] {
    const matches: { name: string; emoji: string }[][] = [[], []];
    for (const [name, emoji] of this.names())
      if (name.includes(text)) matches[name.startsWith(text) ? 0 : 1]!.push({ name, emoji });
    return matches.flat().slice(0, limit);
  }
}
