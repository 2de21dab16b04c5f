/** What the sources have in common that give boards: one board after the other, and no more of each than is taken. */
import { projectLimits } from '@mortise/projects/api';
import { SourceFailure, type SourcePages } from '../contract/source.js';
import type { SourceProject, SourceProjectCard } from '../contract/records.js';

/** Pages of one list that are read at once. */
const maxPages = 1000;
const maxBoards = 5000;
/** Of the values of one board, in characters. */
const maxValueCharacters = 64 * 1024 * 1024;

/** The first items of a list that is needed as a whole; one more than `max` tells that there are more. */
export async function firstOf<T>(pages: SourcePages<T>, max: number): Promise<T[]> {
  const items: T[] = [];
  let count = 0;
  for await (const page of pages) {
    if (++count > maxPages)
      throw new SourceFailure('invalidData', 'The source gives a list of boards that does not end.');
    for (const item of page.items) if (items.length <= max) items.push(item);
    if (items.length > max) break;
  }
  return items;
}

/**
 * One board on each page, the oldest first, whatever the order of the list: the position is the id of the last one. `read`
 * gives undefined for one that is gone meanwhile.
 */
export async function* boardPages(
  ids: SourcePages<number>,
  after: string | undefined,
  read: (id: number) => Promise<SourceProject | undefined>,
): SourcePages<SourceProject> {
  const listed = await firstOf(ids, maxBoards);
  const all = [...new Set(listed)].filter((id) => id > 0).sort((one, other) => one - other);
  const last = all.at(-1);
  const remaining = all.filter((id) => id > Number(after ?? 0));
  if (remaining.length === 0) yield { items: [], total: all.length };
  for (const id of remaining) {
    const project = await read(id);
    yield { items: project ? [project] : [], total: all.length, ...(id !== last && { next: String(id) }) };
  }
}

/** Cards of one board, as many as this site takes and one more, which tells that there are more. */
export class CardList {
  readonly cards: SourceProjectCard[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.cards.length > projectLimits.cards;
  }

  add(card: SourceProjectCard): void {
    if (this.isFull) return;
    for (const { value } of card.values ?? []) if (typeof value === 'string') this.#characters += value.length;
    if (this.#characters > maxValueCharacters)
      throw new SourceFailure('tooLarge', `A board has more than ${maxValueCharacters} characters in its fields.`);
    this.cards.push(card);
  }

  /** Those of some pages, until there are enough. */
  async addAll(pages: SourcePages<SourceProjectCard>): Promise<void> {
    for (const card of await firstOf(pages, projectLimits.cards - this.cards.length)) this.add(card);
  }
}
