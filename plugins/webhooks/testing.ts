/** What tests of kinds of chats share: names that try to be markup, played through every field of every event. */
import type { HookDelivery, HookRequest, WebhookKind } from './contract/webhooks.js';

/** Links, mentions and tags as each style of chat would write them, and an address that is encoded already. */
const hostileName =
  '[m](https://evil.example/m) <https://evil.example/s|s> <a href="https://evil.example/h">h</a> <at user_id="all">x</at> <@U1> <!channel> `c` **b** "q" & \u202ez';

const home = 'https://forge.example/ada/a%23b';
const account = (login = hostileName) => ({
  login,
  html_url: 'https://forge.example/ada',
  avatar_url: 'https://forge.example/avatars/1',
});
const repository = { full_name: hostileName, html_url: home };
const subject = {
  number: 1,
  title: hostileName,
  body: 'written by hand',
  html_url: `${home}/issues/1`,
  user: account(),
  assignees: [account()],
  milestone: { id: 3, title: hostileName },
};
const commit = {
  id: '3f786850e387550f',
  url: `${home}/commit/3f786850`,
  message: hostileName,
  author: { name: hostileName },
};

const issueActions = ['opened', 'edited', 'assigned', 'label_updated', 'milestoned', 'closed', 'deleted'];

/** Payloads of all events, whose names and subjects are {@link hostileName}; bodies are the Markdown of their authors. */
const hostilePayloads: readonly (readonly [eventType: string, payload: object])[] = [
  ['push', { ref: `refs/heads/feat/a#1 ${hostileName}`, commits: [commit, commit], total_commits: 2 }],
  ['push', { ref: 'refs/tags/v%1', commits: [commit], total_commits: 1 }],
  ['create', { ref: `feat/${hostileName}`, ref_type: 'branch' }],
  ['delete', { ref: hostileName, ref_type: 'tag' }],
  ...issueActions.flatMap((action) => [
    ['issues', { action, issue: subject }] as const,
    ['pull_request', { action, pull_request: subject }] as const,
  ]),
  ['issue_comment', { action: 'created', issue: subject, comment: { body: 'x', html_url: `${home}/issues/1#c` } }],
  ['pull_request_comment', { action: 'edited', issue: subject, is_pull: true, comment: { body: 'x' } }],
  ['pull_request_review_request', { action: 'review_requested', pull_request: subject, requested_reviewer: account() }],
  ...['approved', 'rejected', 'comment'].map(
    (kind) =>
      [`pull_request_review_${kind}`, { action: 'reviewed', pull_request: subject, review: { content: 'x' } }] as const,
  ),
  ...['published', 'updated', 'deleted'].map(
    (action) =>
      [
        'release',
        { action, release: { tag_name: hostileName, body: 'x', html_url: `${home}/releases/1`, author: account() } },
      ] as const,
  ),
  ...['created', 'edited', 'deleted'].map(
    (action) => ['wiki', { action, page: hostileName, comment: hostileName }] as const,
  ),
  ['repository', { action: 'created' }],
  ['repository', { action: 'deleted' }],
  ['fork', { forkee: { full_name: hostileName, html_url: home } }],
  ...['created', 'deleted'].map(
    (action) =>
      [
        'package',
        { action, repository: null, package: { name: hostileName, version: hostileName, html_url: home } },
      ] as const,
  ),
  [
    'status',
    {
      context: hostileName,
      state: 'failure',
      sha: '3f786850e387550f',
      description: hostileName,
      target_url: 'javascript:alert(1)',
    },
  ],
];

/** The deliveries to one kind: each event above, and one that only its owner's line describes. */
function hostileDeliveries(settings: Readonly<Record<string, string>>): HookDelivery[] {
  const all = [...hostilePayloads, ['workflow_run', { action: 'completed' }] as const];
  return all.map(([eventType, payload]) => ({
    id: '8f0b7a52-3a0e-4d0c-9d55-6f7a1f2f9d0a',
    event: eventType,
    eventType,
    payload: { repository, sender: account(), ...payload },
    description: { title: hostileName, url: `${home}/actions`, tone: 'neutral' },
    secret: '',
    sentAt: 1_767_323_045_678,
    hook: {
      id: 1,
      ownerKind: 'organization',
      ownerId: 1,
      kind: 'any',
      name: '',
      url: 'https://chat.example/in',
      method: 'POST',
      contentType: 'json',
      events: [eventType],
      branchFilter: '',
      active: true,
      hasSecret: false,
      hasAuthorization: false,
      previousUntil: 0,
      settings,
      lastStatus: 'none',
      failingSince: 0,
      creatorId: 1,
      creatorLeftAt: 0,
      createdAt: 0,
      updatedAt: 0,
    },
  }));
}

/** An issue that was opened, on its way to a chat at `url`. */
export const issueDelivery = (
  settings: Readonly<Record<string, string>> = {},
  more: Partial<HookDelivery> = {},
  url = 'https://chat.example/in',
): HookDelivery =>
  ({
    id: '8f0b7a52-3a0e-4d0c-9d55-6f7a1f2f9d0a',
    event: 'issues',
    eventType: 'issues',
    payload: {
      action: 'opened',
      repository: { full_name: 'ada/tool', html_url: 'http://here/ada/tool' },
      sender: { login: 'ada', html_url: 'http://here/ada', avatar_url: 'http://here/avatars/1' },
      issue: { number: 1, title: '<Wet> & [paint]', html_url: 'http://here/ada/tool/issues/1', body: 'Mind *it*' },
    },
    secret: '',
    sentAt: 1_767_323_045_678,
    hook: { url, ownerKind: 'user', contentType: 'json', method: 'POST', settings },
    ...more,
  }) as unknown as HookDelivery;

/** What a kind sends for {@link issueDelivery}: the request, and its body as a message of that chat. */
export async function sentFor<Message>(
  kind: WebhookKind,
  ...given: Parameters<typeof issueDelivery>
): Promise<HookRequest & { readonly message: Message }> {
  const request = (await kind.request(issueDelivery(...given)))!;
  return { ...request, message: JSON.parse(request.body) as Message };
}

/** Texts of a message, each under its path: `embeds.0.title`. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, path ? `${path}.${name}` : name));
}

/** What {@link hostileName} must not become where a receiver reads that style. */
const markupOf = {
  slack: /<(?:https:\/\/evil|@|!)/,
  html: /<a href="https:\/\/evil|<(?:at|@|!)/,
  markdown: /(?<!\\)\]\(https:\/\/evil|(?<!\\)<(?:a|at|@|!|https:\/\/evil)|(?<!\\)\*\*b|(?<!\\)`c/,
  inert: /\]\(https:\/\/evil|<(?:a |at|@|!|https)|\*\*b/,
} as const;

/**
 * Plays hostile names through all events of a kind. `styles` says which style a receiver reads in which text, by the
 * path within the message. Gives what was wrong, a line each; nothing: all is well.
 */
async function hostileNamesIn(
  kind: WebhookKind,
  styles: (path: string) => keyof typeof markupOf | undefined,
  settings: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const wrong: string[] = [];
  for (const delivery of hostileDeliveries(settings)) {
    const request = await kind.request(delivery);
    for (const [path, text] of textsOf(JSON.parse(request?.body ?? '{}'))) {
      // an address by itself is no markup, and DingTalk packs it into the query of its own
      if (/^(?:https?|dingtalk):\S+$/.test(text)) continue;
      const style = styles(path);
      const match = style && markupOf[style].exec(text)?.[0];
      // one example of each text is enough
      if (wrong.some((line) => line.includes(` ${path}: `))) continue;
      if (match) wrong.push(`${delivery.eventType} ${path}: ${match} in ${text}`);
      if (/%25(?:23|2F|20)|javascript:|\u202e/i.test(text)) wrong.push(`${delivery.eventType} ${path}: ${text}`);
    }
  }
  return wrong;
}

interface LabScript {
  describe(title: string, content: () => void): unknown;
  it(title: string, test: () => Promise<void>): unknown;
}

/** The cases that every kind with messages has; `settings`: of each hook that is looked at. */
export function describeHostileNames(
  { describe, it }: LabScript,
  kind: WebhookKind,
  styles: Parameters<typeof hostileNamesIn>[1],
  settings: readonly Readonly<Record<string, string>>[] = [{}],
): void {
  describe('names that try to be markup', () => {
    it('U4: stay text in every field of every event, and no address is encoded twice', async () => {
      for (const one of settings) {
        const wrong = await hostileNamesIn(kind, styles, one);
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
      }
    });
  });
}
