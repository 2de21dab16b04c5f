import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { AnnotationRow } from '../../models/annotation.js';
import type { JobRow } from '../../models/job.js';
import { taskOf } from '../../services/logs/log-archive.js';
import { t } from '../../texts/index.js';

const looks = {
  error: { icon: 'x-circle-fill', tone: 'color-fg-danger' },
  warning: { icon: 'alert', tone: 'color-fg-attention' },
  notice: { icon: 'info', tone: 'color-fg-accent' },
} as const;

export const LevelIcon = ({ level }: Pick<AnnotationRow, 'level'>): VNode => (
  <span class={looks[level].tone}>{icon(looks[level].icon, { label: t(`annotation.${level}`) })}</span>
);

/** Title and message, as they were written. */
export const AnnotationText = ({ one }: { readonly one: AnnotationRow }): VNode => (
  <>
    {one.title ? <strong class="wb-break-word">{one.title} </strong> : null}
    <span class="annotation-message wb-break-word">{one.message}</span>
  </>
);

const linesText = ({ path, line, end_line: end }: AnnotationRow): string =>
  line === 0 ? path : `${path}:${line}${end > line ? `-${end}` : ''}`;

function fileHref(home: string, { commit_sha: commit, path, line, end_line: end }: AnnotationRow): string {
  const address = `${home}/src/commit/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return line === 0 ? address : `${address}#L${line}${end > line ? `-L${end}` : ''}`;
}

interface ListProps {
  /** Path of Actions of the repository. */
  readonly base: string;
  readonly runId: number;
  readonly jobs: readonly JobRow[];
  readonly annotations: readonly AnnotationRow[];
}

/** What the jobs of a run say of files and lines, on its page. */
export function AnnotationList({ base, runId, jobs, annotations }: ListProps): VNode | null {
  if (annotations.length === 0) return null;
  const jobOf = new Map(jobs.map((job) => [taskOf(job), job]));
  const home = base.replace(/\/actions$/, '');
  return (
    <section class="mb-3" aria-labelledby="annotations-title">
      <h3 class="f4 mb-2" id="annotations-title">
        {t('annotation.title')}
      </h3>
      <ul class="Box list-style-none">
        {annotations.map((one) => {
          const job = jobOf.get(one.task_id);
          return (
            <li key={one.id} class="Box-row">
              <div>
                <LevelIcon level={one.level} /> <AnnotationText one={one} />
              </div>
              <div class="f6 color-fg-muted wb-break-word">
                {one.path ? (
                  <a class="text-mono mr-2" href={fileHref(home, one)}>
                    {linesText(one)}
                  </a>
                ) : null}
                {job ? <a href={`${base}/runs/${runId}/jobs/${job.id}#L${one.log_line + 1}`}>{job.name}</a> : null}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
