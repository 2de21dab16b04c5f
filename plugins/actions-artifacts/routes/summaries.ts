import { BadRequest, defineRoute, Joi, type Route } from '@mortise/plugin-sdk';
import type { RuntimeTasks } from '@mortise/actions/api';
import { maxSummary, type StepSummaries } from '../services/step-summaries.js';
import { taskCredentials, taskOf } from './runtime-requests.js';

const id = Joi.number().integer().positive().required();

interface SummaryRouteDeps {
  readonly tasks: RuntimeTasks;
  readonly summaries: StepSummaries;
}

/** Markdown of steps. */
export function summaryRoutes({ tasks, summaries }: SummaryRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'PUT',
      path: '/api/actions_pipeline/_apis/pipelines/workflows/{run}/jobs/{job}/steps/{step}/summary',
      id: 'putStepSummary',
      tags: ['actions artifacts'],
      summary: 'The summary of a step, in Markdown',
      surface: 'protocol',
      access: taskCredentials,
      request: {
        params: Joi.object<{ readonly run: number; readonly job: number; readonly step: number }>({
          run: id,
          job: id,
          step: Joi.number().integer().min(0).required(),
        }),
      },
      payload: { as: 'buffer', maxBytes: maxSummary + 1 },
      async handler(context) {
        const task = await taskOf(tasks, context);
        const { run, job, step } = context.params;
        if (run !== task.runId || job !== task.jobId)
          throw BadRequest('The run or the job is another one than that of the token.');
        const type = (context.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
        if (!['', 'application/octet-stream', 'text/markdown'].includes(type))
          throw BadRequest('A summary is text/markdown.');
        const content = context.payload;
        await summaries.put(task, step, content);
        const message = content.length === 0 ? 'cleared' : 'success';
        return { message, sizeBytes: content.length, runAttempt: task.attempt };
      },
    }),
  ];
}
