import { Invalid } from '@mortise/plugin-sdk';
import type { SourceMemory } from '../contract/source.js';

const maxEntries = 50;
const maxLength = 500;

/** What a source remembers; `save` stores all of it. */
export function sourceMemory(
  stored: Readonly<Record<string, string>> = {},
  save: (all: Readonly<Record<string, string>>) => Promise<void> = () => Promise.resolve(),
): SourceMemory {
  const entries = new Map(Object.entries(stored));
  return {
    get: (key) => entries.get(key),
    async set(key, value) {
      if (value.length > maxLength || (entries.size >= maxEntries && !entries.has(key)))
        throw Invalid(`A source remembers ${maxEntries} texts of ${maxLength} characters at most.`);
      entries.set(key, value);
      await save(Object.fromEntries(entries));
    },
  };
}
