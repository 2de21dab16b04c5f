import type { VNode } from 'preact';
import { formatNumber } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

interface Series {
  readonly label: string;
  readonly tone: 'success' | 'danger' | 'accent';
  /** Drawn downwards from the middle. */
  readonly below?: boolean;
  readonly values: readonly number[];
}

interface ChartProps {
  readonly title: string;
  /** One for each value, for instance days. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** Without key and numbers, for many small ones. */
  readonly small?: boolean;
}

const width = 800;
/** A short history is not drawn as a few walls. */
const widest = 32;

/** Bars over time, drawn by the server; the numbers stand in a table for who cannot see them. */
export function BarChart({ title, labels, series, height = 160, small = false }: ChartProps): VNode {
  const top = Math.max(1, ...series.filter((one) => !one.below).flatMap((one) => one.values));
  const bottom = Math.max(0, ...series.filter((one) => one.below).flatMap((one) => one.values));
  const scale = height / (top + bottom);
  const zero = top * scale;
  const step = width / Math.max(1, labels.length);
  const bar = Math.max(0.5, Math.min(widest, step * 0.8));
  const first = labels[0] ?? '';
  const last = labels[labels.length - 1] ?? '';
  return (
    <figure class="m-0">
      <svg
        class="insight-chart"
        viewBox={`0 0 ${width} ${height + 20}`}
        role="img"
        aria-label={t('chart.label', { title, first, last })}
        preserveAspectRatio="none"
      >
        {series.map(({ values, tone, below, label }) =>
          values.map((value, at) =>
            value ? (
              <rect
                key={`${label}${at}`}
                x={at * step + (step - bar) / 2}
                width={bar}
                y={below ? zero : zero - value * scale}
                height={Math.max(1, value * scale)}
                class={`insight-${tone}`}
              >
                <title>{t('chart.value', { label: labels[at]!, value: formatNumber(value), series: label })}</title>
              </rect>
            ) : null,
          ),
        )}
        <line x1="0" x2={width} y1={zero} y2={zero} stroke="currentColor" stroke-opacity="0.3" />
      </svg>
      <figcaption class="d-flex flex-justify-between f6 color-fg-muted">
        <span>{first}</span>
        <span hidden={small}>
          {series.map(({ label, tone }) => (
            <span key={label} class="ml-2">
              <span class={`insight-key insight-${tone}`} /> {label}
            </span>
          ))}
        </span>
        <span>{labels.length > 1 ? last : ''}</span>
      </figcaption>
      <details class="f6 mt-1" hidden={small}>
        <summary>{t('chart.numbers')}</summary>
        <table class="insight-table">
          <thead>
            <tr>
              <th scope="col">{t('chart.time')}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, at) =>
              series.some(({ values }) => values[at]) ? (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map(({ label: name, values }) => (
                    <td key={name}>{formatNumber(values[at] ?? 0)}</td>
                  ))}
                </tr>
              ) : null,
            )}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
