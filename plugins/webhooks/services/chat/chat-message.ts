import type { HookDelivery } from '../../api.js';
import { firstLine, listAt, textAt } from './payload-fields.js';
import { chatColours, type ChatLine, type ChatMessage, type MessageBase } from './types.js';
import { eventMessages } from './event-messages.js';
import { issueMessage, pullMessage, releaseMessage, reviewMessage } from './subject-messages.js';

const tones = {
  neutral: chatColours.grey,
  positive: chatColours.green,
  negative: chatColours.red,
  warning: chatColours.yellow,
} as const;

/** What happened and who did it, in one line. */
export const fullLine = ({ line, headline, by }: ChatMessage): ChatLine => line ?? [...headline, ...by];

/** The event of a delivery as a chat message; undefined: it has none. */
export function chatMessage(delivery: HookDelivery): ChatMessage | undefined {
  const { payload, eventType } = delivery;
  // a reference that was only made, moved back or removed: chats hear `create` and `delete`
  if (eventType === 'push' && listAt(payload, 'commits').length === 0) return undefined;
  const base: MessageBase = {
    repository: { name: textAt(payload, 'repository.full_name'), url: textAt(payload, 'repository.html_url') },
    sender: {
      name: textAt(payload, 'sender.login'),
      url: textAt(payload, 'sender.html_url'),
      avatar: textAt(payload, 'sender.avatar_url'),
    },
    body: '',
    detail: '',
    author: '',
    commits: [],
  };
  const isKnown = base.repository.name || eventType === 'package';
  return (isKnown ? ofKnown(eventType, payload, base) : undefined) ?? ofDescription(delivery, base);
}

function ofKnown(eventType: string, payload: HookDelivery['payload'], base: MessageBase): ChatMessage | undefined {
  if (eventType === 'push') return pushMessage(payload, base);
  if (eventType === 'create' || eventType === 'delete') return refMessage(eventType, payload, base);
  if (eventType === 'release') return releaseMessage(payload, base);
  if (/^pull_request_review_(?:approved|rejected|comment)$/.test(eventType))
    return reviewMessage(eventType, payload, base);
  if (eventType === 'issues' || eventType.startsWith('issue_')) return issueMessage(payload, base);
  if (eventType === 'pull_request_comment') return issueMessage(payload, base);
  if (eventType.startsWith('pull_request')) return pullMessage(payload, base);
  return eventMessages[eventType]?.(payload, base);
}

/** Events without a chat message use their one-line description. */
function ofDescription({ description }: HookDelivery, base: MessageBase): ChatMessage | undefined {
  if (!description) return undefined;
  const { title, url, tone } = description;
  return {
    ...base,
    topic: 'other',
    headline: [{ text: title, url }],
    by: [],
    subject: title,
    subjectUrl: url,
    url,
    view: 'View',
    fields: [],
    colour: tones[tone],
  };
}

const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '');

const refUrl = (repository: string, ref: string, type: string): string =>
  `${repository}/src/${type}/${ref.split('/').map(encodeURIComponent).join('/')}`;

function pushMessage(payload: HookDelivery['payload'], base: MessageBase): ChatMessage {
  const { repository, sender } = base;
  const ref = textAt(payload, 'ref');
  const name = shortRef(ref);
  const commits = listAt(payload, 'commits').map((commit) => ({
    shortId: textAt(commit, 'id').slice(0, 7),
    url: textAt(commit, 'url'),
    summary: firstLine(textAt(commit, 'message')),
    author: textAt(commit, 'author.name'),
  }));
  const count = Math.max(Number(textAt(payload, 'total_commits')) || 0, commits.length);
  const compare = textAt(payload, 'compare_url');
  const what = count === 1 ? '1 new commit' : `${count} new commits`;
  const url = (count === 1 ? commits[0]?.url : undefined) || compare || repository.url;
  const where = { text: name, url: refUrl(repository.url, name, ref.startsWith('refs/tags/') ? 'tag' : 'branch') };
  return {
    ...base,
    topic: 'push',
    headline: [
      '[',
      { text: repository.name, url: repository.url },
      ':',
      where,
      '] ',
      ...(count === 1 || !compare ? [what] : [{ text: what, url: compare }]),
      ' pushed',
    ],
    by: [` by ${sender.name}`],
    subject: `[${repository.name}:${name}] ${what}`,
    subjectUrl: url,
    url,
    view: count === 1 ? 'View commit' : 'View commits',
    commits,
    fields: [{ name: 'Commit count:', value: String(count) }],
    colour: chatColours.green,
  };
}

function refMessage(event: 'create' | 'delete', payload: HookDelivery['payload'], base: MessageBase): ChatMessage {
  const { repository, sender } = base;
  const type = textAt(payload, 'ref_type') || 'branch';
  const name = shortRef(textAt(payload, 'ref'));
  const url = refUrl(repository.url, name, type === 'tag' ? 'tag' : 'branch');
  const what = `${type} ${event === 'create' ? 'created' : 'deleted'}`;
  return {
    ...base,
    topic: 'ref',
    headline: [
      '[',
      { text: repository.name, url: repository.url },
      ':',
      event === 'create' ? { text: name, url } : name,
      `] ${what}`,
    ],
    by: [` by ${sender.name}`],
    subject: `[${repository.name}:${name}] ${what}`,
    subjectUrl: url,
    url,
    view: `View ${type}`,
    fields: [{ name: `${type === 'tag' ? 'Tag' : 'Branch'}:`, value: name }],
    colour: event === 'create' ? chatColours.green : chatColours.yellow,
  };
}
