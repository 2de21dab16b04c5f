import type { PullSettings } from '../settings.js';

/** Tells by the beginning of its title whether a pull request is work in progress. */
export class DraftTitles {
  readonly #prefixes: readonly string[];

  constructor({ WORK_IN_PROGRESS_PREFIXES }: Pick<PullSettings, 'WORK_IN_PROGRESS_PREFIXES'>) {
    this.#prefixes = WORK_IN_PROGRESS_PREFIXES.split(',')
      .map((prefix) => prefix.trim())
      .filter(Boolean);
  }

  /** What is put before a title; undefined: there is nothing. */
  get first(): string | undefined {
    return this.#prefixes[0];
  }

  isDraft(title: string): boolean {
    return this.#prefixOf(title) !== undefined;
  }

  /** The title of work that is ready. */
  ready(title: string): string {
    const prefix = this.#prefixOf(title);
    return prefix === undefined ? title : title.slice(prefix.length).trim() || title;
  }

  #prefixOf(title: string): string | undefined {
    const lower = title.toLowerCase();
    return this.#prefixes.find((prefix) => lower.startsWith(prefix.toLowerCase()));
  }
}
