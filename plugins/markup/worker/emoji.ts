import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Names of emoji, from the file that the build makes of them; it is read with the first text that has one. */
export class Emoji {
  #names: Map<string, string> | undefined;

  constructor(private readonly file: URL) {}

  /** Names in plain text become emoji: `:tada:`. */
  replace(text: string): string {
    if (!/:[a-z0-9+-]/.test(text)) return text;
    return text.replace(/:([a-z0-9_+-]{1,64}):/g, (whole, name: string) => {
      this.#names ??= new Map(Object.entries(this.#load()));
      return this.#names.get(name) ?? whole;
    });
  }

  #load(): Readonly<Record<string, string>> {
    const module = createRequire(this.file)(fileURLToPath(this.file)) as {
      nameToEmoji: Readonly<Record<string, string>>;
    };
    return module.nameToEmoji;
  }
}
