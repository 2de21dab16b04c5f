import type { HookPayload } from '../../contract/webhooks.js';
import { chatColours, type ChatField, type ChatMessage, type ChatPart, type MessageBase } from './types.js';
import { listAt, textAt, valueAt } from './payload-fields.js';

const { green, lightGreen, yellow, orange, lightOrange, red, grey, purple } = chatColours;

/** What the actions on issues and pull requests are called, and their colours. */
const actions: Readonly<Record<string, readonly [words: string, colour: number]>> = {
  edited: ['edited', yellow],
  closed: ['closed', red],
  reopened: ['re-opened', yellow],
  deleted: ['deleted', red],
  assigned: ['assigned', green],
  unassigned: ['unassigned', yellow],
  label_updated: ['labels updated', yellow],
  label_cleared: ['labels cleared', yellow],
  milestoned: ['milestoned', yellow],
  demilestoned: ['milestone cleared', yellow],
  synchronized: ['synchronized', yellow],
  review_requested: ['review requested', yellow],
  review_request_removed: ['review request removed', yellow],
};

const userName = (account: unknown): ChatPart => ({ text: textAt(account, 'login'), url: textAt(account, 'html_url') });
const byOf = ({ sender }: MessageBase): ChatPart[] =>
  sender.name ? [' by ', { text: sender.name, url: sender.url }] : [];

/** `#1 Wet paint`. */
const subjectOf = (one: unknown): string => `#${textAt(one, 'number')} ${textAt(one, 'title')}`;

const inRepository = ({ repository }: MessageBase, ...rest: readonly ChatPart[]): ChatPart[] => [
  '[',
  { text: repository.name, url: repository.url },
  '] ',
  ...rest,
];

/** Whom something is assigned to, or what milestone it has got: part of the headline. */
function detailsOf(action: string, one: unknown, base: MessageBase): ChatPart[] {
  if (action === 'assigned')
    return [' to ', ...listAt(one, 'assignees').flatMap((account, at) => [...(at ? [', '] : []), userName(account)])];
  if (action === 'milestoned') {
    const id = textAt(one, 'milestone.id');
    return [' to ', { text: textAt(one, 'milestone.title'), url: `${base.repository.url}/milestone/${id}` }];
  }
  return [];
}

function changed(
  noun: 'Issue' | 'Pull request',
  action: string,
  one: unknown,
  [words, colour]: readonly [string, number],
  base: MessageBase,
  facts: readonly ChatField[],
): ChatMessage {
  const url = textAt(one, 'html_url');
  const subject = subjectOf(one);
  const text = textAt(one, 'body');
  const shortHeadline = inRepository(base, `${noun} ${words}: `, { text: subject, url });
  return {
    ...base,
    topic: noun === 'Issue' ? 'issue' : 'pull',
    headline: [...shortHeadline, ...detailsOf(action, one, base)],
    shortHeadline,
    by: byOf(base),
    subject,
    subjectUrl: url,
    url,
    view: noun === 'Issue' ? 'View issue' : 'View pull request',
    body: action === 'opened' || action === 'edited' ? text : '',
    detail: text,
    author: textAt(one, 'user.login'),
    fields: facts,
    colour,
  };
}

/** An issue, or a comment on an issue or a pull request. */
export function issueMessage(payload: HookPayload, base: MessageBase): ChatMessage | undefined {
  const issue = valueAt(payload, 'issue');
  if (!issue) return undefined;
  const action = textAt(payload, 'action');
  const facts = [{ name: 'Issue #:', value: textAt(issue, 'number') }];
  const comment = valueAt(payload, 'comment');
  if (!comment) return changed('Issue', action, issue, actions[action] ?? [action || 'changed', orange], base, facts);
  const isPull = valueAt(payload, 'is_pull') === true;
  const page = textAt(payload, 'pull_request.html_url') || textAt(issue, 'html_url');
  const subject = subjectOf(issue);
  const text = textAt(comment, 'body');
  const what = action === 'edited' ? 'Comment edited' : action === 'deleted' ? 'Comment deleted' : 'New comment';
  const [, changedColour] = (action === 'created' ? undefined : actions[action]) ?? [
    '',
    isPull ? lightGreen : lightOrange,
  ];
  return {
    ...base,
    topic: 'comment',
    headline: inRepository(base, `${what} on ${isPull ? 'pull request' : 'issue'} `, { text: subject, url: page }),
    by: byOf(base),
    subject,
    subjectUrl: page,
    url: textAt(comment, 'html_url') || page,
    view: 'View comment',
    body: text,
    detail: text,
    author: textAt(issue, 'user.login'),
    fields: facts,
    colour: changedColour,
  };
}

export function pullMessage(payload: HookPayload, base: MessageBase): ChatMessage | undefined {
  const pull = valueAt(payload, 'pull_request');
  if (!pull) return undefined;
  const action = textAt(payload, 'action');
  const facts: ChatField[] = [
    { name: 'Pull request #:', value: { text: `#${textAt(pull, 'number')}`, url: textAt(pull, 'html_url') } },
  ];
  const reviewer = textAt(payload, 'requested_reviewer.login');
  if (reviewer && action.startsWith('review_request')) facts.push({ name: 'Reviewer:', value: reviewer });
  const isMerged = action === 'closed' && valueAt(pull, 'merged') === true;
  const words = isMerged ? (['merged', purple] as const) : (actions[action] ?? ([action || 'changed', green] as const));
  return changed('Pull request', action, pull, words, base, facts);
}

/** CHT-03: one that asks for changes reads `Pull request review changes requested`. */
const reviews: Readonly<Record<string, readonly [words: string, colour: number]>> = {
  pull_request_review_approved: ['approved', green],
  pull_request_review_rejected: ['changes requested', red],
  pull_request_review_comment: ['comment', grey],
};

export function reviewMessage(eventType: string, payload: HookPayload, base: MessageBase): ChatMessage | undefined {
  const pull = pullMessage(payload, base);
  if (!pull) return undefined;
  const [words, colour] = reviews[eventType] ?? ['', grey];
  const text = textAt(payload, 'review.content');
  return {
    ...pull,
    topic: 'review',
    headline: inRepository(base, `Pull request review ${words}: `, { text: pull.subject, url: pull.url }),
    shortHeadline: undefined,
    body: text,
    detail: text,
    colour,
  };
}

export function releaseMessage(payload: HookPayload, base: MessageBase): ChatMessage | undefined {
  const release = valueAt(payload, 'release');
  if (!release) return undefined;
  const action = textAt(payload, 'action');
  const tag = textAt(release, 'tag_name');
  const url = textAt(release, 'html_url');
  const [words, colour] = (
    { published: ['published', green], updated: ['updated', yellow], deleted: ['deleted', red] } as const
  )[action] ?? [action || 'changed', green];
  const text = textAt(release, 'body');
  return {
    ...base,
    topic: 'release',
    headline: inRepository(base, `Release ${words}: `, { text: tag, url }),
    by: byOf(base),
    subject: tag,
    subjectUrl: url,
    url,
    view: 'View release',
    body: text,
    detail: text,
    author: textAt(release, 'author.login'),
    fields: [{ name: 'Tag:', value: tag }],
    colour,
  };
}
