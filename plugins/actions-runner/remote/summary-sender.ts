import { toText } from '@mortise/actions/workflow';
import type { JobTask } from '../engine/types.js';
import type { SendSummary } from './remote-report.js';

/** Sends the summaries of a job's steps to the server. Undefined for a task that does not say which job it is. */
export function summarySender(address: string, { context }: JobTask): SendSummary | undefined {
  const token = toText(context.gitea_runtime_token ?? '');
  const ids = idsOf(token);
  if (!ids) return undefined;
  const base = `${address}/api/actions_pipeline/_apis/pipelines/workflows/${ids.run}/jobs/${ids.job}/steps`;
  return async (step, markdown) => {
    const answer = await fetch(`${base}/${step}/summary`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/markdown' },
      body: markdown,
      signal: AbortSignal.timeout(30_000),
    });
    await answer.arrayBuffer();
    // What is refused once is refused again.
    if (answer.status >= 500) throw new Error(`the server answers ${answer.status}`);
  };
}

/** Run and job of a runtime token, which has them in its scopes: `Actions.Results:{run}:{job}`. */
function idsOf(token: string): { run: string; job: string } | undefined {
  try {
    const { scp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      scp?: unknown;
    };
    const match = /(?:^| )Actions\.Results:(\d+):(\d+)(?: |$)/.exec(String(scp));
    return match ? { run: match[1]!, job: match[2]! } : undefined;
  } catch {
    return undefined;
  }
}
