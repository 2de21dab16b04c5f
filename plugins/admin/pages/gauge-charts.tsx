import type { VNode } from 'preact';
import { formatNumber, formatSize, Section } from '@mortise/plugin-sdk';
import type { GaugeSample } from '../services/gauge-history.js';
import { t } from '../texts/index.js';

const [width, height] = [180, 48];
/** Fewer make no line. */
const minSamples = 2;

interface ChartProps {
  readonly title: string;
  readonly values: readonly number[];
  /** Of a value. */
  readonly text: (value: number) => string;
}

/** A line from the oldest value to the newest, from zero upwards; its numbers stand above. */
function Chart({ title, values, text }: ChartProps): VNode {
  const highest = Math.max(...values);
  const summary = t('charts.summary', { now: text(values.at(-1)!), highest: text(highest) });
  const points = values.map((value, at) => {
    const x = (at / (values.length - 1)) * width;
    const y = height - 1 - (highest > 0 ? (value / highest) * (height - 2) : 0);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <figure class="Box p-3 m-0">
      <figcaption class="f6 mb-2">
        <strong>{title}</strong> <span class="color-fg-muted">{summary}</span>
      </figcaption>
      <svg
        class="color-fg-accent d-block"
        role="img"
        aria-label={`${title}: ${summary}`}
        viewBox={`0 0 ${width} ${height}`}
        width="100%"
        height={height}
        preserveAspectRatio="none"
      >
        <polyline
          points={points.join(' ')}
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
          vector-effect="non-scaling-stroke"
        />
      </svg>
    </figure>
  );
}

/** How the process that answers did of late. */
export function GaugeCharts({ samples }: { readonly samples: readonly GaugeSample[] }): VNode {
  const minutes = samples.length > 0 ? Math.round((samples.at(-1)!.at - samples[0]!.at) / 60_000) : 0;
  return (
    <Section title={t('charts.title')}>
      {samples.length < minSamples ? (
        <p class="color-fg-muted">{t('charts.soon')}</p>
      ) : (
        <>
          <p class="color-fg-muted">{t('charts.note', { minutes })}</p>
          <div class="card-grid">
            <Chart
              title={t('charts.memory')}
              values={samples.map(({ memoryBytes }) => memoryBytes)}
              text={formatSize}
            />
            <Chart
              title={t('charts.delay')}
              values={samples.map(({ eventLoopDelayMs }) => eventLoopDelayMs)}
              text={(delay) => t('charts.milliseconds', { count: Math.round(delay) })}
            />
            <Chart
              title={t('charts.waiting')}
              values={samples.map(({ queuedJobs }) => queuedJobs)}
              text={(count) => formatNumber(count)}
            />
          </div>
        </>
      )}
    </Section>
  );
}
