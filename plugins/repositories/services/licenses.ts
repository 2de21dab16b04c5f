import type { MemoryCache } from '@mortise/plugin-sdk';
import { followLinks, type GitRepository } from '@mortise/git/api';
import { licenseTemplates } from '../templates/licenses.js';

const fileName = /^(?:licen[cs]es?|copying|unlicense|ofl)(?:[-.][\w.-]+)?$/i;
const maxBytes = 256 * 1024;
/** Share of words in common from which a text counts as that licence. */
const alike = 0.9;

/** Pairs of neighbouring words with how often they occur: order matters, layout, years and names hardly. */
function pairs(text: string): Map<string, number> {
  const words = text
    .toLowerCase()
    .replace(/copyright .*|<[^>]+>|\[[^\]]+\]/g, ' ')
    .match(/[a-z0-9]+/g);
  const scores = new Map<string, number>();
  for (let at = 1; at < (words?.length ?? 0); at++) {
    const pair = `${words![at - 1]} ${words![at]}`;
    scores.set(pair, (scores.get(pair) ?? 0) + 1);
  }
  return scores;
}

const sizeOf = (bag: ReadonlyMap<string, number>) => [...bag.values()].reduce((sum, count) => sum + count, 0);

/** Recognises licences by their text. */
export class LicenseDetector {
  #known: readonly { key: string; bag: ReadonlyMap<string, number>; size: number }[] | undefined;

  constructor(private readonly found: MemoryCache<string>) {}

  /** Identifiers of the licence files in the root of a commit, or nothing where none is known. */
  async of(git: GitRepository, commit: string): Promise<string[]> {
    const files = (await git.tree(commit)).filter((entry) => entry.type === 'blob' && fileName.test(entry.name));
    const keys: string[] = [];
    for (const file of files.slice(0, 10)) {
      const target = file.mode === '120000' ? await followLinks(git, commit, file.name) : file;
      if (target?.type !== 'blob') continue;
      const { oid } = target;
      const key = await this.found.load(oid, async () => {
        const info = await git.info(oid);
        return info && info.size <= maxBytes ? this.#name((await git.blob(oid, maxBytes)).toString('utf8')) : '';
      });
      if (key && !keys.includes(key)) keys.push(key);
    }
    return keys.sort();
  }

  #name(text: string): string {
    const bag = pairs(text);
    const size = sizeOf(bag);
    this.#known ??= [...licenseTemplates().values()].map(({ key, text: known }) => {
      const knownBag = pairs(known);
      return { key, bag: knownBag, size: sizeOf(knownBag) };
    });
    let best = '';
    let share = alike;
    for (const known of this.#known) {
      // Too different in length to be alike enough.
      if ((2 * Math.min(size, known.size)) / (size + known.size) < share) continue;
      let common = 0;
      for (const [pair, count] of bag) common += Math.min(count, known.bag.get(pair) ?? 0);
      const here = (2 * common) / (size + known.size);
      if (here > share) [best, share] = [known.key, here];
    }
    return best;
  }
}
