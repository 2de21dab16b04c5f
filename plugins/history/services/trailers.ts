/** A line such as `Co-authored-by: Ada <ada@example.com>` at the end of a message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
  /** Of trailers that name an author. */
  readonly author?: { readonly name: string; readonly email: string };
}

const maxTrailers = 50;
const line = /^([A-Za-z][A-Za-z0-9-]{1,60}): +(\S.{0,500})$/;

/** The last paragraph of a message where it holds nothing but trailers, and what stands before it. */
export function splitTrailers(body: string): { readonly text: string; readonly trailers: readonly Trailer[] } {
  const text = body.trimEnd();
  const start = text.lastIndexOf('\n\n');
  const last = text.slice(start < 0 ? 0 : start + 2).split('\n');
  const trailers = last.slice(0, maxTrailers).map((one) => line.exec(one));
  // a body that is one line may be a sentence with a colon
  const isKnown = last.some((one) =>
    /^(?:[\w]+-)+(?:by|to|with): |^(?:Fixes|Closes|Refs|Change-Id|Cc|Link): /i.test(one),
  );
  if (last.length > maxTrailers || !isKnown || !trailers.every(Boolean)) return { text, trailers: [] };
  return {
    text: start < 0 ? '' : text.slice(0, start).trimEnd(),
    trailers: trailers.map((match) => {
      const [, key = '', value = ''] = match!;
      const [, name, email] = /^(.{1,200}?) *<([^<>\s]{1,254})>$/.exec(value) ?? [];
      return name && email ? { key, value, author: { name, email } } : { key, value };
    }),
  };
}
