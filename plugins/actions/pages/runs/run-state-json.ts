import { escapeMarkup, listHref } from '@mortise/plugin-sdk';
import type { RunSectionState } from '../../contract/run-page-sections.js';
import type { LogLine } from '../../contract/logs.js';
import { isFinal, statusName } from '../../contract/states.js';
import { duration, elapsed } from '../status.js';
import type { RunDetails } from './run-reader.js';
import type { StepView } from './job-view.js';
import type { RunAbilities } from './run-frame.js';

export interface StepCursor {
  readonly step: number;
  /** Lines that are known; null: none. */
  readonly cursor?: number | null;
  readonly expanded?: boolean;
}

export interface CurrentJob {
  readonly name: string;
  readonly detail: string;
  readonly steps: readonly StepView[];
  /** `started`: of the step, seconds since 1970 UTC. */
  readonly logs: readonly {
    readonly step: number;
    readonly cursor: number;
    readonly lines: readonly LogLine[];
    readonly started: number;
  }[];
}

interface RunStateInput {
  /** Address of the list of runs. */
  readonly base: string;
  readonly repositoryId: number;
  readonly details: RunDetails;
  readonly may: RunAbilities;
  readonly sections: readonly RunSectionState[];
  readonly job?: CurrentJob | undefined;
}

/** The state of a run as scripts ask for it. */
export function runStateJson({ base, repositoryId, details, may, sections: left, job }: RunStateInput) {
  const { run, attempt, attempts, jobs } = details;
  const link = `${base}/runs/${run.id}`;
  const state = attempt ?? run;
  const jobLink = (id: number) => `${link}/jobs/${id}`;
  return {
    artifacts: left.flatMap(({ artifacts = [] }) => artifacts),
    state: {
      run: {
        repoId: repositoryId,
        link,
        viewLink: attempt && attempt.id !== run.latest_attempt_id ? `${link}/attempts/${attempt.number}` : link,
        index: run.number,
        title: run.title,
        titleHTML: escapeMarkup(run.title),
        status: statusName(state.status),
        canCancel: may.cancel,
        canApprove: may.approve,
        canRerun: may.rerun,
        canRerunFailed: may.rerunFailed,
        canDeleteArtifact: may.remove,
        done: isFinal(state.status),
        workflowID: run.workflow_id,
        workflowLink: listHref(base, {
          workflow: run.workflow_id,
          scoped_workflow_source_repo_id: run.is_scoped_run ? run.workflow_repo_id : undefined,
        }),
        canViewWorkflowFile: may.viewWorkflow,
        isSchedule: run.schedule_id > 0,
        runAttempt: attempt?.number ?? 0,
        attempts: attempts.map((one) => ({ attempt: one.number, status: statusName(one.status) })),
        jobs: jobs.map((one) => ({
          id: one.id,
          link: jobLink(one.id),
          jobId: one.job_id,
          name: one.name,
          status: statusName(one.status),
          canRerun: may.rerun,
          duration: duration(elapsed(one)),
          needs: one.needs,
          parentJobID: one.parent_job_id,
          isReusableCaller: one.is_reusable_caller,
          callUses: one.call_uses,
        })),
        commit: { sha: run.commit_sha, branch: run.head_branch },
        pullRequest: run.pull_index
          ? { index: `#${run.pull_index}`, link: `${base.replace(/\/actions$/, '')}/pulls/${run.pull_index}` }
          : null,
        duration: duration(elapsed(state)),
        triggeredAt: Math.floor(Number(run.created_at) / 1000),
        triggerEvent: run.trigger_event,
        jobSummaries: left.flatMap(({ jobSummaries = [] }) => jobSummaries),
      },
      currentJob: {
        title: job?.name ?? '',
        detail: job?.detail ?? '',
        steps: (job?.steps ?? []).map((step) => ({
          summary: step.name,
          duration: duration(step.time),
          status: statusName(step.status),
        })),
      },
    },
    logs: { stepsLog: job?.logs ?? [] },
  };
}
