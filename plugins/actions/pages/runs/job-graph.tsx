import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import { statusName } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { t } from '../../texts/index.js';
import { duration, elapsed, statusAppearance } from '../status.js';

const [width, height, gapX, gapY, pad] = [220, 40, 48, 12, 8];
/** More than these are not drawn; the list of jobs has them all. */
export const maxDrawn = 120;
const maxLetters = 20;

interface PositionedJob {
  readonly job: JobRow;
  readonly x: number;
  readonly y: number;
}

type GraphJob = Pick<JobRow, 'id' | 'job_id' | 'needs' | 'parent_job_id'>;

/** Column of each job: behind everything that it needs, and behind its caller. Needs that go in circles end. */
export function columnsOf(jobs: readonly GraphJob[]): ReadonlyMap<number, number> {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const known = new Map<number, number>();
  const column = (job: GraphJob, above: ReadonlySet<number>): number => {
    const depth = known.get(job.id);
    if (depth !== undefined) return depth;
    if (above.has(job.id)) return 0;
    const path = new Set(above).add(job.id);
    const caller = byId.get(job.parent_job_id);
    const needed = jobs.filter((one) => one.parent_job_id === job.parent_job_id && job.needs.includes(one.job_id));
    const before = [...needed, ...(caller ? [caller] : [])].map((one) => column(one, path));
    const layoutJobs = before.length > 0 ? Math.max(...before) + 1 : 0;
    known.set(job.id, layoutJobs);
    return layoutJobs;
  };
  for (const job of jobs) column(job, new Set());
  return known;
}

function place(jobs: readonly JobRow[]): { placed: ReadonlyMap<number, PositionedJob>; columns: number; rows: number } {
  const columns = columnsOf(jobs);
  const heights = new Map<number, number>();
  const placed = new Map<number, PositionedJob>();
  for (const job of jobs) {
    const column = columns.get(job.id) ?? 0;
    const row = heights.get(column) ?? 0;
    heights.set(column, row + 1);
    placed.set(job.id, { job, x: pad + column * (width + gapX), y: pad + row * (height + gapY) });
  }
  return { placed, columns: Math.max(0, ...heights.keys()) + 1, rows: Math.max(1, ...heights.values()) };
}

const truncated = (text: string): string => (text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text);

/** Jobs in columns, lines from what they need. */
export function JobGraph({
  jobs,
  href,
}: {
  readonly jobs: readonly JobRow[];
  readonly href: (job: JobRow) => string;
}): VNode | null {
  const shown = jobs.slice(0, maxDrawn);
  if (shown.length === 0) return null;
  const { placed, columns, rows } = place(shown);
  const size = {
    width: 2 * pad + columns * width + (columns - 1) * gapX,
    height: 2 * pad + rows * (height + gapY) - gapY,
  };
  const lines = shown.flatMap((job) =>
    shown
      .filter(
        (one) =>
          one.id === job.parent_job_id || (one.parent_job_id === job.parent_job_id && job.needs.includes(one.job_id)),
      )
      .map((one) => [placed.get(one.id)!, placed.get(job.id)!] as const),
  );
  return (
    <div class="Box p-2 mb-3 overflow-auto" tabIndex={0} role="region" aria-label={t('run.graph')}>
      <svg
        class="job-graph"
        role="group"
        aria-label={t('run.graph')}
        viewBox={`0 0 ${size.width} ${size.height}`}
        {...size}
      >
        {lines.map(([from, to]) => {
          const [x, y, toY] = [from.x + width, from.y + height / 2, to.y + height / 2];
          const middle = (x + to.x) / 2;
          return (
            <path
              key={`${from.job.id} ${to.job.id}`}
              class="job-graph-line"
              d={`M${x} ${y}C${middle} ${y} ${middle} ${toY} ${to.x} ${toY}`}
            />
          );
        })}
        {[...placed.values()].map(({ job, x, y }) => (
          <a key={job.id} href={href(job)}>
            <title>{job.name}</title>
            <rect class="job-graph-job" x={x} y={y} width={width} height={height} rx={6} />
            <g class={statusAppearance(job.status).tone} transform={`translate(${x + 10} ${y + 12})`}>
              <g class={statusAppearance(job.status).isSpinning ? 'actions-turns' : undefined}>
                {icon(statusAppearance(job.status).icon, { label: t(`status.${statusName(job.status)}`) })}
              </g>
            </g>
            <text class="job-graph-name" x={x + 34} y={y + 18}>
              {truncated(job.name)}
            </text>
            <text class="job-graph-time" x={x + 34} y={y + 33}>
              {Number(job.started_at) ? duration(elapsed(job)) : t(`status.${statusName(job.status)}`)}
            </text>
          </a>
        ))}
      </svg>
    </div>
  );
}
