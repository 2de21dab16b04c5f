import type { SourcePage, SourcePages, SourceSubject } from '../contract/source.js';
import type { ItemKind } from '../models/item.js';
import type { StepContext } from './step.js';

const subjectsPerQuery = 200;

/** `12` or `12:inner`: the last subject that is done, or the one that is being read, with the position in it. */
function positionOf(after: string | undefined): { readonly done: number; readonly inner: string | undefined } {
  const [, number = '0', inner] = /^(\d+)(?::(.*))?$/s.exec(after ?? '') ?? [];
  return inner === undefined ? { done: Number(number), inner } : { done: Number(number) - 1, inner };
}

/** Pages of what belongs to one issue or pull request after the other, of those that were imported. */
export async function* pagesOfSubjects<T>(
  { options, store }: StepContext,
  kinds: readonly ItemKind[],
  after: string | undefined,
  read: (subject: SourceSubject, after: string | undefined) => SourcePages<T>,
): SourcePages<T> {
  let { done, inner } = positionOf(after);
  let lastPosition = after;
  for (;;) {
    const subjects = await store.numbersAfter(options.repository.id, kinds, done, subjectsPerQuery);
    if (subjects.length === 0) {
      yield { items: [] };
      return;
    }
    for (const subject of subjects) {
      for await (const { items, next } of read(subject, inner)) {
        const page: SourcePage<T> = {
          items,
          next: next === undefined ? String(subject.number) : `${subject.number}:${next}`,
        };
        // most have nothing: their position is stored with the next that has
        if (items.length || next !== undefined) {
          lastPosition = page.next;
          yield page;
        }
        if (next === undefined) break;
      }
      inner = undefined;
      done = subject.number;
    }
    // the importer takes the same position twice for pages that lead nowhere
    if (lastPosition !== String(done)) yield { items: [], next: (lastPosition = String(done)) };
  }
}
