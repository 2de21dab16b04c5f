import type { VNode } from 'preact';
import { icon, PostButton } from '@mortise/plugin-sdk';
import type { LogLine, LogState } from '../../contract/logs.js';
import { isFinal, statusName, statusNumbers, type StatusNumber } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import type { StepRow } from '../../models/step.js';
import { t } from '../../texts/index.js';
import { duration, elapsed, StatusIcon } from '../status.js';
import { LogLines, type AnsiRendererFactory } from './log-lines.js';

/** Lines of a log on one page. */
export const logPage = 2000;

/** A step as it is shown: with its lines of the log, from `start` and before `end`. */
export interface StepView {
  readonly name: string;
  readonly status: StatusNumber;
  /** Milliseconds. */
  readonly time: number;
  readonly start: number;
  readonly end: number;
}

/** What a runner does before the first step and after the last are steps as well. */
export function stepViews(job: JobRow, steps: readonly StepRow[]): StepView[] {
  if (steps.length === 0) return [];
  const begun = steps.filter((step) => Number(step.started_at) > 0 || step.log_length > 0);
  const first = begun[0]?.log_index ?? Infinity;
  const end = Math.max(0, ...begun.map((step) => step.log_index + step.log_length));
  const isDone = isFinal(job.status);
  const allDone = steps.every(({ status }) => isFinal(status));
  const { success, running, waiting } = statusNumbers;
  const fixedStep = (name: string, status: StatusNumber, start: number, before: number): StepView => ({
    ...{ name, status, start, end: before, time: 0 },
  });
  return [
    fixedStep(t('job.setUp'), begun.length > 0 || isDone ? success : running, 0, first),
    ...steps.map((step) => ({
      name: step.name,
      status: step.status,
      time: elapsed(step),
      start: step.log_index,
      end: step.log_index + step.log_length,
    })),
    fixedStep(
      t('job.complete'),
      isDone ? success : allDone ? running : waiting,
      allDone || isDone ? end : Infinity,
      Infinity,
    ),
  ];
}

/** Why a job does not begin. */
export type WaitingReason =
  | { readonly why: 'approval' | 'none' | 'offline' | 'busy' }
  | { readonly why: 'needs' | 'labels' | 'environment'; readonly names: readonly string[] };

export const waitingText = (waiting: WaitingReason): string =>
  'names' in waiting
    ? t(`job.waits.${waiting.why}`, { names: waiting.names.join(', ') })
    : t(`job.waits.${waiting.why}`);

interface JobViewProps {
  /** Address of the job's page. */
  readonly own: string;
  readonly job: JobRow;
  readonly steps: readonly StepView[];
  readonly lines: readonly LogLine[];
  readonly colours: AnsiRendererFactory;
  readonly log: LogState | undefined;
  /** First line that was asked for. */
  readonly from: number;
  readonly waiting: WaitingReason | undefined;
  readonly mayRerun: boolean;
}

interface StepProps extends Pick<JobViewProps, 'lines' | 'colours'> {
  readonly step: StepView;
  readonly number: number;
}

const Step = ({ step, number, lines, colours }: StepProps): VNode => (
  <details class="job-step" id={`step-${number}`} open={lines.length > 0 && !(step.status === statusNumbers.success)}>
    <summary class="job-step-head">
      <StatusIcon status={step.status} /> <span class="flex-auto wb-break-word">{step.name}</span>{' '}
      {step.time ? <span class="color-fg-muted f6">{duration(step.time)}</span> : null}
    </summary>
    <div class="log" data-log>
      <LogLines lines={lines} colours={colours} />
    </div>
  </details>
);

/** A job with its steps and their log. */
export function JobView({ own, job, steps, lines, colours, log, from, waiting, mayRerun }: JobViewProps): VNode {
  const total = log?.lines ?? 0;
  const shown =
    steps.length > 0 ? steps : [{ name: t('job.log'), status: job.status, time: 0, start: 0, end: Infinity }];
  // runners send lines before they say which step these belong to: until then they are still to come
  const known = lines.findLast(({ index }) => shown.some(({ start, end }) => index >= start && index < end));
  const next = known ? known.index + 1 : from;
  return (
    <div
      id="job"
      data-done={isFinal(job.status) ? 'true' : 'false'}
      data-task={job.task_id || job.source_task_id}
      data-lines={next}
    >
      <div class="d-flex flex-wrap gap-2 flex-items-start mb-3" id="job-head">
        <h3 class="f4 flex-auto wb-break-word">
          {job.name}{' '}
          <span class="color-fg-muted f5 text-normal" id="job-state">
            {t(`status.${statusName(job.status)}`)}
            {Number(job.started_at) ? ` · ${duration(elapsed(job))}` : ''}
          </span>
        </h3>
        <span class="d-flex flex-items-center gap-1">
          <input
            type="search"
            id="log-search"
            class="form-control input-sm"
            placeholder={t('log.search')}
            aria-label={t('log.search')}
            maxLength={200}
          />
          <output id="log-found" class="color-fg-muted f6" for="log-search" />
        </span>
        <label class="btn btn-sm log-times">
          <input type="checkbox" id="log-times" /> {t('log.times')}
        </label>
        <span id="job-download">
          {total > 0 ? (
            <a class="btn btn-sm" href={`${own}/logs`}>
              {icon('download')} {t('log.download')}
            </a>
          ) : null}
        </span>
        {mayRerun ? <PostButton action={`${own}/rerun`}>{t('job.rerun')}</PostButton> : null}
      </div>
      {waiting ? <p class="flash">{waitingText(waiting)}</p> : null}
      {job.problem ? <p class="flash flash-error wb-break-word">{job.problem}</p> : null}
      {job.is_reusable_caller ? <p class="color-fg-muted text-mono">{job.call_uses}</p> : null}
      {log?.isExpired ? <p class="flash">{t('log.expired')}</p> : null}
      {from > 0 ? <a href={`?from=${Math.max(0, from - logPage)}`}>{t('log.earlier')}</a> : null}
      <div class="Box mb-3 job-steps" id="job-steps">
        {shown.map((step, number) => (
          <Step
            key={number}
            step={step}
            number={number}
            colours={colours}
            lines={lines.filter(({ index }) => index >= step.start && index < step.end)}
          />
        ))}
      </div>
      {lines.length > 0 && next < total ? <a href={`?from=${next}`}>{t('log.later')}</a> : null}
    </div>
  );
}
