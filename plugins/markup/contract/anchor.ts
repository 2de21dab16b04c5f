/**
 * The id of a heading with these words, as GitHub makes it: punctuation goes first, then each blank becomes a hyphen, so
 * `A & B` is `a--b`. The prefix keeps it apart from ids of the page.
 */
export const headingAnchor = (words: string): string =>
  `user-content-${words
    .trim()
    .toLowerCase()
    .replace(/\s/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')}`;
