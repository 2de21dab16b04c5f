import type { VNode } from 'preact';
import { currentLanguage, formatDate } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const dayMs = 86_400_000;
const cell = 11;
const step = 14;
const left = 30;
const top = 18;
/** Monday, Wednesday and Friday of some week. */
const weekdays = [1, 3, 5].map((day) => Date.UTC(2026, 1, 1 + day));

/** Short names of a month or a day of the week. */
const named = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(currentLanguage().tag, { ...options, timeZone: 'UTC' });
  return (time: number) => format.format(time);
};

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
  const highest = Math.max(1, ...byDay.values());
  const total = [...byDay.values()].reduce((sum, count) => sum + count, 0);
  const weeks = Math.floor((today - start) / 7) + 1;
  const days = Array.from({ length: today - start + 1 }, (_, index) => start + index);
  const labels = days.filter((day) => {
    const date = new Date(day * dayMs);
    return date.getUTCDay() === 0 && date.getUTCDate() <= 7 && day + 14 <= today;
  });
  const [monthOf, weekdayOf] = [named({ month: 'short' }), named({ weekday: 'short' })];
  const x = (day: number) => left + Math.floor((day - start) / 7) * step;
  return (
    <section class="mb-4" aria-label={t('heatmap.label')}>
      <h2 class="f4 mb-2">{t('heatmap.total', { count: total })}</h2>
      {/* From right to left, so that a narrow screen shows the newest weeks first. */}
      <div class="heatmap border rounded-2 p-2" tabIndex={0} role="group" aria-label={t('heatmap.scroll')}>
        <svg
          width={left + weeks * step}
          height={top + 7 * step}
          role="img"
          aria-label={t('heatmap.summary', { count: total, days: byDay.size })}
        >
          {labels.map((day) => (
            <text key={day} x={x(day)} y={11}>
              {monthOf(day * dayMs)}
            </text>
          ))}
          {weekdays.map((time, index) => (
            <text key={time} x={0} y={top + (2 * index + 1) * step + 9}>
              {weekdayOf(time)}
            </text>
          ))}
          {days.map((day) => {
            const count = byDay.get(day) ?? 0;
            // from none to max
            const shade = count === 0 ? 0 : Math.max(1, Math.ceil((count / highest) * 4));
            return (
              <rect
                key={day}
                x={x(day)}
                y={top + ((day - start) % 7) * step}
                width={cell}
                height={cell}
                rx={2}
                class={`heatmap-${shade}`}
              >
                <title>{t('heatmap.day', { count, day: formatDate(day * dayMs) })}</title>
              </rect>
            );
          })}
        </svg>
      </div>
    </section>
  );
}
