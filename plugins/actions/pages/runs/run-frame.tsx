import type { ComponentChildren, VNode } from 'preact';
import { Ago, icon, Menu, PostButton } from '@mortise/plugin-sdk';
import type { RunSectionView } from '../../contract/run-page-sections.js';
import { isFinal, statusName, statusNumbers } from '../../contract/states.js';
import type { AnnotationRow } from '../../models/annotation.js';
import type { JobRow } from '../../models/job.js';
import { t } from '../../texts/index.js';
import { taskOf } from '../../services/logs/log-archive.js';
import { AnnotationList } from '../annotations/annotation-list.js';
import { duration, elapsed, StatusIcon } from '../status.js';
import type { RunDetails } from './run-reader.js';
import { DurationChart, type TimedRun } from './duration-chart.js';
import { JobGraph, maxDrawn } from './job-graph.js';
import { RefLabel } from './ref-label.js';

/** Actions offered on a run; older attempts are read-only. */
export interface RunAbilities {
  readonly cancel: boolean;
  /** Without waiting for runners any longer. */
  readonly forceCancel: boolean;
  readonly approve: boolean;
  readonly rerun: boolean;
  readonly rerunFailed: boolean;
  readonly remove: boolean;
  /** Reads the file that says what it does. */
  readonly viewWorkflow: boolean;
}

export function abilitiesOf(
  { run, attempt, jobs }: RunDetails,
  { mayWrite, viewWorkflow }: { readonly mayWrite: boolean; readonly viewWorkflow: boolean },
): RunAbilities {
  const isLatest = !attempt || attempt.id === run.latest_attempt_id;
  const [may, done] = [mayWrite && isLatest, isFinal(run.status)];
  const { failure, cancelled, cancelling } = statusNumbers;
  return {
    cancel: may && !done,
    forceCancel: may && run.status === cancelling,
    approve: may && run.need_approval,
    rerun: may && done,
    rerunFailed: may && done && jobs.some(({ status }) => status === failure || status === cancelled),
    remove: may && done,
    viewWorkflow,
  };
}

interface RunFrameProps {
  readonly base: string;
  readonly details: RunDetails;
  readonly may: RunAbilities;
  /** The job whose page it is. */
  readonly job?: JobRow;
  readonly children: ComponentChildren;
}

const Buttons = ({ own, may, list }: { own: string; may: RunAbilities; list: string }): VNode => (
  <div class="d-flex flex-wrap gap-2 flex-items-start">
    {may.approve ? (
      <PostButton action={`${own}/approve`} class="btn btn-primary">
        {t('run.approve')}
      </PostButton>
    ) : null}
    {may.cancel ? (
      <PostButton action={`${own}/cancel`} class="btn">
        {t('run.cancel')}
      </PostButton>
    ) : null}
    {may.forceCancel ? (
      <PostButton action={`${own}/force-cancel`} class="btn">
        {t('run.forceCancel')}
      </PostButton>
    ) : null}
    {may.rerun ? (
      <PostButton action={`${own}/rerun`} class="btn">
        {t('run.rerun')}
      </PostButton>
    ) : null}
    {may.rerunFailed ? (
      <PostButton action={`${own}/rerun-failed`} class="btn">
        {t('run.rerunFailed')}
      </PostButton>
    ) : null}
    {may.remove ? (
      <PostButton action={`${own}/delete`} class="btn btn-danger" fields={{ list }} confirm={t('run.deleteConfirm')}>
        {t('run.delete')}
      </PostButton>
    ) : null}
  </div>
);

/** Title, buttons and the list of jobs around a page of a run. */
export function RunFrame({ base, details, may, job: current, children }: RunFrameProps): VNode {
  const { run, attempt, attempts, jobs, actor, rerunBy, approvedBy } = details;
  const own = `${base}/runs/${run.id}`;
  const state = attempt ?? run;
  const workflow = run.workflow_name || run.workflow_id;
  const isLatest = !attempt || attempt.id === run.latest_attempt_id;
  const path = isLatest ? own : `${own}/attempts/${attempt.number}`;
  return (
    <div id="actions-live" data-done={isFinal(state.status) ? 'true' : 'false'}>
      <div class="d-flex flex-wrap gap-2 flex-items-start mb-3" id="run-head">
        <div class="flex-auto min-width-0">
          <h2 class="f3 text-normal wb-break-word">
            <StatusIcon status={state.status} size={24} /> {run.title || workflow}{' '}
            <span class="color-fg-muted">#{run.number}</span>
          </h2>
          <p class="color-fg-muted mb-0">
            {t.rich('run.facts', {
              workflow: may.viewWorkflow ? <a href={`${own}/workflow`}>{workflow}</a> : workflow,
              event: run.trigger_event,
              actor: actor?.name ?? 'gitea-actions',
              when: <Ago time={Number(run.created_at)} />,
              commit: (
                <a class="text-mono" href={`${base.replace(/\/actions$/, '')}/commit/${run.commit_sha}`}>
                  {run.commit_sha.slice(0, 10)}
                </a>
              ),
              branch: <RefLabel run={run} home={base.replace(/\/actions$/, '')} />,
            })}
            {Number(state.started_at) ? ` · ${duration(elapsed(state))}` : ''}
            {rerunBy ? ` · ${t('run.rerunBy', { number: attempt?.number ?? 1, actor: rerunBy.name })}` : ''}
            {approvedBy ? ` · ${t('run.approvedBy', { actor: approvedBy.name })}` : ''}
          </p>
        </div>
        <div class="d-flex flex-wrap gap-2">
          {attempts.length > 1 ? (
            <Menu button={t('run.attempt', { number: attempt?.number ?? 1 })}>
              {[...attempts].reverse().map(({ id, number, status }) => (
                <a
                  key={id}
                  class="dropdown-item"
                  href={id === run.latest_attempt_id ? own : `${own}/attempts/${number}`}
                  aria-current={id === attempt?.id ? 'true' : undefined}
                >
                  <StatusIcon status={status} /> {t('run.attempt', { number })}
                </a>
              ))}
            </Menu>
          ) : null}
          {jobs.some(taskOf) ? (
            <a class="btn" href={isLatest ? `${own}/logs` : `${own}/logs?attempt=${attempt.number}`}>
              {icon('download')} {t('run.logs')}
            </a>
          ) : null}
          <Buttons own={own} may={may} list={base} />
        </div>
      </div>
      {run.need_approval ? <div class="flash flash-warn mb-3">{t('run.needsApproval')}</div> : null}
      {run.problem ? <div class="flash flash-error mb-3 text-mono wb-break-word">{run.problem}</div> : null}
      <div class="d-md-flex menu-layout">
        <nav class="menu mb-3 flex-shrink-0 flex-self-start" aria-label={t('run.jobs')} id="run-jobs">
          <a class="menu-item" href={path} aria-current={current ? undefined : 'page'}>
            {icon('home')} {t('run.summary')}
          </a>
          {jobs.map((job) => (
            <a
              key={job.id}
              class="menu-item wb-break-word"
              href={`${own}/jobs/${job.id}`}
              aria-current={job.id === current?.id ? 'page' : undefined}
            >
              <StatusIcon status={job.status} /> {job.name}
            </a>
          ))}
        </nav>
        <div class="flex-auto min-width-0">{children}</div>
      </div>
    </div>
  );
}

interface RunSummaryProps extends Pick<RunFrameProps, 'base' | 'details'> {
  readonly sections: readonly RunSectionView[];
  readonly annotations: readonly AnnotationRow[];
  readonly lastRuns: readonly TimedRun[];
}

/** The page of a run: its jobs as a picture, and what they left. */
export const RunSummary = ({ base, details, sections, annotations, lastRuns }: RunSummaryProps): VNode => (
  <div id="run-summary">
    <JobGraph jobs={details.jobs} href={(job) => `${base}/runs/${details.run.id}/jobs/${job.id}`} />
    {details.jobs.length > maxDrawn ? <p>{t('run.manyJobs', { count: maxDrawn })}</p> : null}
    <ul class="list-style-none">
      {details.jobs
        .filter(({ problem }) => problem)
        .map((job) => (
          <li key={job.id} class="flash flash-error mb-2 wb-break-word">
            <strong>{job.name}</strong> ({t(`status.${statusName(job.status)}`)}): {job.problem}
          </li>
        ))}
    </ul>
    <AnnotationList base={base} runId={details.run.id} jobs={details.jobs} annotations={annotations} />
    {sections.map((section) => section.render())}
    <DurationChart runs={lastRuns} current={details.run.id} />
  </div>
);
