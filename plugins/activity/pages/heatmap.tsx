import type { VNode } from 'preact';

const dayMs = 86_400_000;
const cell = 11;
const step = 14;
const left = 30;
const top = 18;
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** From none to most; the page's own green, so it fits light and dark. */
const shades = [
  'fill: var(--bgColor-neutral-muted)',
  'fill: var(--bgColor-success-emphasis); opacity: 0.35',
  'fill: var(--bgColor-success-emphasis); opacity: 0.55',
  'fill: var(--bgColor-success-emphasis); opacity: 0.75',
  'fill: var(--bgColor-success-emphasis)',
];

const plural = (count: number) => `${count} contribution${count === 1 ? '' : 's'}`;

/** A year of contributions, a column for each week (Sunday first), days in UTC. */
export function Heatmap({
  quarters,
  now = Date.now(),
}: {
  quarters: readonly { timestamp: number; contributions: number }[];
  now?: number;
}): VNode {
  const today = Math.floor(now / dayMs);
  const start = today - 364 - new Date((today - 364) * dayMs).getUTCDay();
  const byDay = new Map<number, number>();
  for (const { timestamp, contributions } of quarters) {
    const day = Math.floor((timestamp * 1000) / dayMs);
    if (day >= start) byDay.set(day, (byDay.get(day) ?? 0) + contributions);
  }
  const most = Math.max(1, ...byDay.values());
  const total = [...byDay.values()].reduce((sum, count) => sum + count, 0);
  const weeks = Math.floor((today - start) / 7) + 1;
  const days = Array.from({ length: today - start + 1 }, (_, index) => start + index);
  const labels = days.filter((day) => {
    const date = new Date(day * dayMs);
    return date.getUTCDay() === 0 && date.getUTCDate() <= 7 && day + 14 <= today;
  });
  const x = (day: number) => left + Math.floor((day - start) / 7) * step;
  return (
    <section class="mb-4" aria-label="Contributions">
      <h2 class="f4 text-normal mb-2">{`${plural(total)} in the last year`}</h2>
      {/* From right to left, so that a narrow screen shows the newest weeks first. */}
      <div
        class="border rounded-2 p-2"
        style="overflow-x: auto; direction: rtl"
        tabIndex={0}
        role="group"
        aria-label="A year by days"
      >
        <svg
          width={left + weeks * step}
          height={top + 7 * step}
          role="img"
          aria-label={`${plural(total)} on ${byDay.size} day${byDay.size === 1 ? '' : 's'} of the last year`}
          style="font-size: 10px; fill: var(--fgColor-muted); display: block; direction: ltr; margin: 0 auto"
        >
          {labels.map((day) => (
            <text key={day} x={x(day)} y={11}>
              {months[new Date(day * dayMs).getUTCMonth()]}
            </text>
          ))}
          {['Mon', 'Wed', 'Fri'].map((name, index) => (
            <text key={name} x={0} y={top + (2 * index + 1) * step + 9}>
              {name}
            </text>
          ))}
          {days.map((day) => {
            const count = byDay.get(day) ?? 0;
            const shade = count === 0 ? 0 : Math.max(1, Math.ceil((count / most) * 4));
            return (
              <rect
                key={day}
                x={x(day)}
                y={top + ((day - start) % 7) * step}
                width={cell}
                height={cell}
                rx={2}
                style={shades[shade]}
              >
                <title>{`${plural(count)} on ${new Date(day * dayMs).toISOString().slice(0, 10)}`}</title>
              </rect>
            );
          })}
        </svg>
      </div>
    </section>
  );
}
