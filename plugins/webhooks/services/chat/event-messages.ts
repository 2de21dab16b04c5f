import type { HookPayload } from '../../contract/webhooks.js';
import { textAt } from './payload-fields.js';
import {
  chatColours,
  type ChatField,
  type ChatLine,
  type ChatMessage,
  type ChatPart,
  type MessageBase,
} from './types.js';

const { green, yellow, red } = chatColours;

/** Texts of such an event, with and without the actor. */
interface EventText {
  readonly topic: ChatMessage['topic'];
  readonly headline: ChatLine;
  /** What follows the name of who did it: `created repository ada/tool`. */
  readonly verb: ChatLine;
  readonly subject: string;
  readonly url: string;
  readonly view: string;
  readonly detail?: string;
  readonly fields?: readonly ChatField[];
  readonly colour: number;
}

function messageOf(
  base: MessageBase,
  { verb: deed, detail = '', fields: facts = [], ...text }: EventText,
): ChatMessage {
  const { sender } = base;
  const by: ChatLine = sender.name ? [' by ', { text: sender.name, url: sender.url }] : [];
  return {
    ...base,
    ...text,
    by,
    line: sender.name ? [{ text: sender.name, url: sender.url }, ' ', ...deed] : text.headline,
    subjectUrl: text.url,
    detail,
    fields: facts,
  };
}

const link = (text: string, url: string): ChatPart => ({ text, url });

const actionColours: Readonly<Record<string, number>> = { created: green, edited: yellow, deleted: red };

/** The word for an action and its colour; `changed` for one that has no name. */
const actionText = (action: string): [words: string, colour: number] => [
  action || 'changed',
  actionColours[action] ?? yellow,
];

function repositoryMessage(payload: HookPayload, base: MessageBase): ChatMessage {
  const { name, url } = base.repository;
  const [words, colour] = actionText(textAt(payload, 'action'));
  const repository = words === 'deleted' ? name : link(name, url);
  return messageOf(base, {
    topic: 'repository',
    headline: ['[', repository, `] Repository ${words}`],
    verb: [`${words} repository `, repository],
    subject: name,
    // there is no page for a deleted package
    url: words === 'deleted' ? base.sender.url : url,
    view: words === 'deleted' ? 'View account' : 'View repository',
    colour,
  });
}

function forkMessage(payload: HookPayload, base: MessageBase): ChatMessage | undefined {
  const source = { text: textAt(payload, 'forkee.full_name'), url: textAt(payload, 'forkee.html_url') };
  const fork = { text: base.repository.name, url: base.repository.url };
  if (!source.text) return undefined;
  return messageOf(base, {
    topic: 'fork',
    headline: [source, ' is forked to ', fork],
    verb: ['forked ', source, ' to ', fork],
    subject: fork.text,
    url: fork.url,
    view: 'View fork',
    fields: [{ name: 'Forked from:', value: source }],
    colour: green,
  });
}

/** Payloads name a page as its address does, escaped already: what no such name holds is encoded, and nothing twice. */
const wikiPath = (page: string): string => page.replace(/[^\w\-.~+%/]+/g, (part) => encodeURIComponent(part));

function wikiMessage(payload: HookPayload, base: MessageBase): ChatMessage {
  const { name, url } = base.repository;
  const title = textAt(payload, 'page');
  const [words, colour] = actionText(textAt(payload, 'action'));
  const comment = words === 'deleted' ? '' : textAt(payload, 'comment');
  const page = { text: title, url: `${url}/wiki/${wikiPath(title)}` };
  const note = comment ? [` (${comment})`] : [];
  return messageOf(base, {
    topic: 'wiki',
    headline: ['[', link(name, url), '] Wiki page ', page, ` ${words}`, ...note],
    verb: [`${words} wiki page `, page, ' in ', link(name, url), ...note],
    subject: title,
    url: words === 'deleted' ? `${url}/wiki` : page.url,
    view: 'View wiki page',
    detail: comment,
    fields: [{ name: 'Page:', value: title }],
    colour,
  });
}

function packageMessage(payload: HookPayload, base: MessageBase): ChatMessage | undefined {
  const name = textAt(payload, 'package.name');
  const version = `${name}:${textAt(payload, 'package.version')}`;
  const url = textAt(payload, 'package.html_url');
  if (!name) return undefined;
  const [words, colour] = actionText(textAt(payload, 'action'));
  return messageOf(base, {
    topic: 'package',
    headline: [`Package ${words}: `, link(version, url)],
    verb: [`${words} package `, link(version, url)],
    subject: version,
    url,
    view: 'View package',
    fields: [{ name: 'Package:', value: name }],
    colour,
  });
}

const statusColours: Readonly<Record<string, number>> = { failure: red, error: red, warning: yellow };

function statusMessage(payload: HookPayload, base: MessageBase): ChatMessage {
  const sha = textAt(payload, 'sha');
  const state = textAt(payload, 'state');
  const context = textAt(payload, 'context');
  const description = textAt(payload, 'description');
  const { name, url: home } = base.repository;
  const target = textAt(payload, 'target_url');
  const url = /^https?:/i.test(target) ? target : `${home}/commit/${sha}`;
  const status = link(`${context} [${sha.slice(0, 10)}]`, url);
  const note = description ? [` - ${description}`] : [];
  return messageOf(base, {
    topic: 'status',
    headline: ['[', link(name, home), '] Commit status changed: ', status, ` ${state}`, ...note],
    verb: ['set commit status ', status, ` to ${state} in `, link(name, home), ...note],
    subject: `${context}: ${state}`,
    url,
    view: 'View commit status',
    fields: [{ name: 'Commit status:', value: context }],
    colour: statusColours[state] ?? green,
  });
}

/** Events about what lies in a repository or belongs to an account, by their type. */
export const eventMessages: Readonly<
  Record<string, (payload: HookPayload, base: MessageBase) => ChatMessage | undefined>
> = {
  repository: repositoryMessage,
  fork: forkMessage,
  wiki: wikiMessage,
  package: packageMessage,
  status: statusMessage,
};
