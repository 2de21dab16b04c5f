import { actionsActor } from '@mortise/accounts/api';
import type { CommitStatus } from '../contract/commit-status.js';
import { t } from '../texts/index.js';

/** What Actions says of its jobs: stored in English, as the API has it. */
const descriptions: readonly (readonly [RegExp, (time: string) => string])[] = [
  [/^Successful in (\S+)$/, (time) => t('job.success', { time })],
  [/^Failing after (\S+)$/, (time) => t('job.failure', { time })],
  [/^Canceled after (\S+)$/, (time) => t('job.cancelled', { time })],
  [/^Skipped$/, () => t('job.skipped')],
  [/^In progress$/, () => t('job.running')],
  [/^Canceling$/, () => t('job.cancelling')],
  [/^Waiting to run$/, () => t('job.waiting')],
  [/^Blocked by required conditions$/, () => t('job.blocked')],
];

/**
 * The description of a status in the language of the page that is being rendered, where the server wrote it. What others
 * say of a commit is shown as they said it, also when it is the same words.
 */
export function describeStatus({ creatorId, description }: Pick<CommitStatus, 'creatorId' | 'description'>): string {
  if (creatorId !== actionsActor.id) return description;
  for (const [form, say] of descriptions) {
    const match = form.exec(description);
    if (match) return say(match[1] ?? '');
  }
  return description;
}
