import type { VNode } from 'preact';

/** The hidden field that proves a form is ours. */
export const Csrf = ({ token }: { token: string }): VNode => <input type="hidden" name="_csrf" value={token} />;

const spans: readonly (readonly [number, string])[] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [604_800, 'week'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** How long ago something was, in words; `time` in milliseconds since 1970 UTC. */
export function Ago({ time }: { time: number }): VNode {
  const seconds = Math.max(0, (Date.now() - time) / 1000);
  const [size, name] = spans.find(([length]) => seconds >= length) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  const date = new Date(time);
  // Commits carry whatever time their author's clock had.
  const valid = !Number.isNaN(date.getTime());
  return (
    <time dateTime={valid ? date.toISOString() : undefined} title={valid ? date.toUTCString() : undefined}>
      {seconds < 60 ? 'just now' : `${count} ${name}${count === 1 ? '' : 's'} ago`}
    </time>
  );
}

export interface PagerProps {
  /** 1-based. */
  readonly page: number;
  /** Number of the last page, where it is known. */
  readonly last?: number;
  /** Is there a further page? Needed without `last`. */
  readonly more?: boolean;
  readonly href: (page: number) => string;
  /** What the links say; default `Previous` and `Next`. */
  readonly words?: readonly [previous: string, next: string];
}

/** Number of the last page of a list. */
export const lastPage = (total: number, limit: number): number => Math.max(1, Math.ceil(total / limit));

/** Links to the pages before and after; nothing when there is only one. */
export function Pager({
  page,
  last,
  more,
  href,
  words: [previous, next] = ['Previous', 'Next'],
}: PagerProps): VNode | null {
  const further = last === undefined ? more === true : page < last;
  if (page <= 1 && !further) return null;
  return (
    <nav class="paginate-container" aria-label="Pages">
      <div class="pagination">
        {page > 1 ? (
          <a class="previous_page" rel="prev" href={href(page - 1)}>
            {previous}
          </a>
        ) : (
          <span class="previous_page disabled">{previous}</span>
        )}
        {last === undefined ? null : (
          <em class="current px-2">
            {Math.min(page, last)} of {last}
          </em>
        )}
        {further ? (
          <a class="next_page" rel="next" href={href(page + 1)}>
            {next}
          </a>
        ) : (
          <span class="next_page disabled">{next}</span>
        )}
      </div>
    </nav>
  );
}
