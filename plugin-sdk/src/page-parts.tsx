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
