/** For tests of sources: reads everything that a source gives, and says what the importer could not take. */
import { SourceFailure, type SourcePages, type SourceReader, type SourceSubject } from './contract/source.js';

const maxPages = 1000;

/** All items of some pages; each position is tried: from there on the same rest must come. Throws where it does not. */
export async function readPages<T>(pages: (after?: string) => SourcePages<T>): Promise<T[]> {
  const items: T[] = [];
  const positions: (readonly [position: string, from: number])[] = [];
  for await (const page of pages()) {
    items.push(...page.items);
    if (page.next === undefined) break;
    positions.push([page.next, items.length]);
    if (positions.length > maxPages) throw new Error(`there are more than ${maxPages} pages`);
  }
  for (const [position, from] of positions) {
    let count = 0;
    for await (const page of pages(position)) {
      count += page.items.length;
      if (page.next === undefined) break;
    }
    const remaining = items.length - from;
    if (count !== remaining)
      throw new Error(`from the position ${position} come ${count} items in place of ${remaining}`);
  }
  return items;
}

/** Everything of a repository, with each position tried. */
export async function readRepository(reader: SourceReader) {
  const all = async <T>(pages: ((after?: string) => SourcePages<T>) | undefined): Promise<T[]> =>
    pages
      ? readPages(pages).catch((error: unknown) => {
          // as the importer takes it: the source has none
          if (SourceFailure.is(error) && error.reason === 'notOffered') return [];
          throw error;
        })
      : [];
  const issues = await all(reader.issues && ((after) => reader.issues!(after)));
  const pullRequests = await all(reader.pullRequests && ((after) => reader.pullRequests!(after)));
  const subjects: SourceSubject[] = [
    ...issues.map(({ number }) => ({ number, isPull: false })),
    ...pullRequests.map(({ number }) => ({ number, isPull: true })),
  ];
  const numbers = subjects.map(({ number }) => number);
  if (new Set(numbers).size < numbers.length) throw new Error('issues and pull requests share numbers');
  const comments = await all(reader.comments && ((after) => reader.comments!(after)));
  if (!reader.comments && reader.commentsOf)
    for (const subject of subjects) comments.push(...(await readPages((after) => reader.commentsOf!(subject, after))));
  const reviews = [];
  if (reader.reviewsOf)
    for (const subject of subjects.filter(({ isPull }) => isPull))
      reviews.push(...(await readPages((after) => reader.reviewsOf!(subject, after))));
  return {
    repository: await reader.repository(),
    labels: await all(reader.labels && ((after) => reader.labels!(after))),
    milestones: await all(reader.milestones && ((after) => reader.milestones!(after))),
    releases: await all(reader.releases && ((after) => reader.releases!(after))),
    issues,
    pullRequests,
    comments,
    reviews,
    projects: await all(reader.projects && ((after) => reader.projects!(after))),
  };
}
