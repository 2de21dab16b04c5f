import type { VNode } from 'preact';
import { statusName, statusNumbers } from '../../contract/states.js';
import type { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';
import { duration, elapsed } from '../status.js';

/** Of a run that has ended. */
export type TimedRun = Pick<RunRow, 'id' | 'number' | 'status' | 'started_at' | 'stopped_at'>;

const [height, barWidth, gap] = [64, 14, 4];
/** Fewer tell nothing. */
const minRuns = 2;

const toneOf = (status: number): string => {
  if (status === statusNumbers.success) return 'duration-success';
  return status === statusNumbers.failure ? 'duration-failure' : 'duration-other';
};

const medianOf = (times: readonly number[]): number => {
  const sorted = times.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** How long the last runs of a workflow took, the newest on the right. `current`: the one whose page it is. */
export function DurationChart({
  runs,
  current,
}: {
  readonly runs: readonly TimedRun[];
  readonly current?: number;
}): VNode | null {
  if (runs.length < minRuns) return null;
  const times = runs.map((run) => elapsed(run));
  const longest = Math.max(...times, 1);
  const summary = t('chart.summary', { median: duration(medianOf(times)), longest: duration(longest) });
  const width = runs.length * (barWidth + gap) - gap;
  return (
    <figure class="Box p-3 mb-3" id="run-durations">
      <figcaption class="f6 mb-2">
        <strong>{t('chart.durations', { count: runs.length })}</strong> <span class="color-fg-muted">{summary}</span>
      </figcaption>
      <svg
        class="duration-chart"
        role="img"
        aria-label={`${t('chart.durations', { count: runs.length })}: ${summary}`}
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
      >
        {runs.map((run, at) => {
          const bar = Math.max(2, Math.round((times[at]! / longest) * height));
          return (
            <rect
              key={run.id}
              class={`${toneOf(run.status)}${run.id === current ? ' duration-current' : ''}`}
              x={at * (barWidth + gap)}
              y={height - bar}
              width={barWidth}
              height={bar}
              rx={2}
            >
              <title>{`#${run.number} · ${t(`status.${statusName(run.status)}`)} · ${duration(times[at]!)}`}</title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
}
