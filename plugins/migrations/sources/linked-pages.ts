/** What the APIs have in common whose lists lead on by the header `Link` (RFC 8288). */

/** Records that one request asks for. */
export const perPage = 100;
/** Characters of a position, which is stored with the import. */
const maxPosition = 500;
const atOnce = 6;

/** The address of the next page; undefined on the last one. */
export function nextAddress(link: string | undefined, base: string): URL | undefined {
  const address = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1];
  return address && URL.canParse(address, base) ? new URL(address, base) : undefined;
}

/** Only its query is taken of an address: requests stay with the repository, whatever a header says. */
export function positionOf({ search }: URL): string | undefined {
  const query = search.slice(1);
  return query.length <= maxPosition ? query : undefined;
}

/** The same work for each, a few at once, in their order; after a failure no more begins. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let at = 0;
  const run = async () => {
    try {
      for (let mine = at++; mine < items.length; mine = at++) results[mine] = await work(items[mine]!);
    } catch (error) {
      at = items.length;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
  return results;
}
