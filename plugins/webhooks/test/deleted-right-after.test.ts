import { createServer, type Server } from 'node:http';
import { setDefaultAutoSelectFamilyAttemptTimeout, type AddressInfo } from 'node:net';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

interface Payload {
  readonly action: string;
  readonly issue?: { readonly title: string; readonly labels: readonly { readonly name: string }[] };
  readonly comment?: { readonly body: string };
  readonly pull_request?: { readonly title: string; readonly labels: readonly { readonly name: string }[] };
  readonly release?: { readonly tag_name: string };
  readonly project?: { readonly title: string };
  readonly project_column?: { readonly title: string };
  readonly project_card?: { readonly issue: { readonly title: string } };
  readonly repository?: { readonly full_name: string };
  readonly page?: string;
}

/** What was done in `guild/tool` before it is deleted; gives how to delete what it was done to. */
interface Act {
  readonly name: string;
  readonly events: readonly string[];
  /** What a receiver hears of it. */
  readonly hears: readonly string[];
  /** Addresses to delete, for the trial with the object alone. */
  act(world: World): Promise<readonly string[]>;
}

interface World {
  /** The API of the repository. */
  readonly at: string;
  send(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
  ): Promise<{ readonly id: number; readonly number: number }>;
  label(): Promise<number>;
}

const summary = ({ action, ...of }: Payload) => {
  const { issue, comment, pull_request: pull, release, project, project_column: column, project_card: card } = of;
  const labels = (pull ?? issue)?.labels.map(({ name }) => name).join() ?? '';
  const what =
    comment?.body ??
    release?.tag_name ??
    card?.issue.title ??
    column?.title ??
    project?.title ??
    (pull ?? issue)?.title ??
    of.page;
  return `${action} ${what}${labels && ` [${labels}]`}`;
};

const openIssue = ({ at, send }: World, more: object = {}) => send('POST', `${at}/issues`, { title: 'Heard', ...more });

const makeBoard = async ({ at, send }: World) => {
  const { id } = await send('POST', `${at}/projects`, { title: 'Sprint' });
  // the first one is where issues land, and stays
  await send('POST', `${at}/projects/${id}/columns`, { title: 'Later' });
  const column = await send('POST', `${at}/projects/${id}/columns`, { title: 'Doing' });
  return { board: `${at}/projects/${id}`, column: `${at}/projects/${id}/columns/${column.id}` };
};

const acts: readonly Act[] = [
  {
    name: 'an issue with a label',
    events: ['issues'],
    hears: ['opened Heard [red]', 'label_updated Heard [red]'],
    async act(world) {
      const { number } = await openIssue(world, { labels: [await world.label()] });
      return [`${world.at}/issues/${number}`];
    },
  },
  {
    name: 'an issue that is renamed, then closed',
    events: ['issues_only'],
    hears: ['opened Heard', 'edited Renamed', 'closed Renamed'],
    async act(world) {
      const { number } = await openIssue(world);
      await world.send('PATCH', `${world.at}/issues/${number}`, { title: 'Renamed' });
      await world.send('PATCH', `${world.at}/issues/${number}`, { state: 'closed' });
      return [`${world.at}/issues/${number}`];
    },
  },
  {
    name: 'a comment that is edited',
    events: ['issue_comment'],
    hears: ['created Said', 'edited Said better'],
    async act(world) {
      const { number } = await openIssue(world);
      const { id } = await world.send('POST', `${world.at}/issues/${number}/comments`, { body: 'Said' });
      await world.send('PATCH', `${world.at}/issues/comments/${id}`, { body: 'Said better' });
      return [`${world.at}/issues/comments/${id}`, `${world.at}/issues/${number}`];
    },
  },
  {
    name: 'a pull request with a label, and a comment of it',
    events: ['pull_request_only', 'pull_request_label', 'pull_request_comment'],
    hears: ['label_updated Proposed [red]', 'opened Proposed [red]', 'created Said [red]'],
    async act(world) {
      await world.send('POST', `${world.at}/contents/more.txt`, { content: 'bW9yZQ==', new_branch: 'more' });
      const labels = [await world.label()];
      const pull = { title: 'Proposed', head: 'more', base: 'main', labels };
      const { number } = await world.send('POST', `${world.at}/pulls`, pull);
      await world.send('POST', `${world.at}/issues/${number}/comments`, { body: 'Said' });
      return [`${world.at}/issues/${number}`];
    },
  },
  {
    name: 'a release',
    events: ['release'],
    hears: ['published v1'],
    async act({ at, send }) {
      const { id } = await send('POST', `${at}/releases`, { tag_name: 'v1', target_commitish: 'main' });
      return [`${at}/releases/${id}`];
    },
  },
  {
    name: 'a board and its column',
    events: ['project', 'project_column'],
    hears: ['created Sprint', 'created Later', 'created Doing'],
    async act(world) {
      const { board, column } = await makeBoard(world);
      return [column, board];
    },
  },
  {
    name: 'a card',
    events: ['project_card'],
    hears: ['created Heard'],
    async act(world) {
      const { board, column } = await makeBoard(world);
      const { id, number } = await openIssue(world);
      await world.send('POST', `${column}/issues/${id}`);
      return [`${world.at}/issues/${number}`, board];
    },
  },
  {
    name: 'a page of the wiki',
    events: ['wiki'],
    hears: ['created Home'],
    async act({ at, send }) {
      await send('POST', `${at}/wiki/new`, { title: 'Home', content_base64: 'SGVsbG8=', message: 'first' });
      return [`${at}/wiki/page/Home`];
    },
  },
];

describe('what hooks hear of things that are deleted right after', { timeout: 240_000 }, () => {
  let host: TestHost;
  let root: SignedIn;
  let receiver: Server;
  let count = 0;
  /** Of the trial that runs. */
  let site = '';
  const received: { readonly path: string; readonly payload: Payload }[] = [];
  before(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({ path: request.url ?? '', payload: JSON.parse(body) as Payload });
        response.end('thanks');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    // the receiver is this process: when it stands still, no time-out may end an attempt
    setDefaultAutoSelectFamilyAttemptTimeout(100_000);
    host = await startHost({
      plugins: [
        'webhooks',
        'webhook-mortise',
        'organizations',
        'projects',
        'reviews',
        'releases',
        'wiki',
        'files',
        'refs',
      ],
      settings: { security: { ALLOWED_HOST_LIST: '*' }, webhook: { DELIVER_TIMEOUT: 100 } },
    });
    root = await signUp(host, 'root', { isAdmin: true });
  });
  after(async () => {
    await host.close();
    receiver.close();
  });
  beforeEach(async () => {
    await host.settle();
    received.length = 0;
  });
  afterEach(() => send('DELETE', site));

  const send: World['send'] = async (method, url, payload) => {
    const answer = await root.inject({ method, url: `/api/v1${url}`, ...(payload && { payload }) });
    expect(answer.statusCode, `${method} ${url} ${answer.payload}`).to.be.below(300);
    return (answer.payload ? JSON.parse(answer.payload) : {}) as { readonly id: number; readonly number: number };
  };

  /** A new organization with the repository `tool`, whose hook hears of these events, as one of the site does. */
  const makeWorld = async (events: readonly string[]) => {
    const org = `guild-${++count}`;
    await send('POST', '/orgs', { username: org });
    await send('POST', `/orgs/${org}/repos`, { name: 'tool', auto_init: true, default_branch: 'main' });
    await host.settle();
    const make = async (at: string, path: string, config: object = {}) => {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`;
      const hook = { type: 'gitea', active: true, events, config: { url, content_type: 'json', ...config } };
      return `${at}/${(await send('POST', at, hook)).id}`;
    };
    await make(`/orgs/${org}/hooks`, 'organization');
    site = await make('/admin/hooks', 'site', { is_system_webhook: 'true' });
    const at = `/repos/${org}/tool`;
    const label = async () => (await send('POST', `${at}/labels`, { name: 'red', color: 'ff0000' })).id;
    return { org, world: { at, send, label } };
  };
  /** Of the kinds that one hook listens to; what is told of the deletion itself is left out. */
  const heard = async (path: string) => {
    await host.settle();
    return received
      .filter((one) => one.path === `/${path}` && !['deleted', 'label_cleared'].includes(one.payload.action))
      .map(({ payload }) => summary(payload));
  };

  for (const { name, events, hears, act } of acts) {
    it(`${name}: both hooks hear of it as it was, once, though it is deleted at once`, async () => {
      const { world } = await makeWorld(events);
      for (const url of await act(world)) await send('DELETE', url);
      expect(await heard('organization')).to.equal([...hears]);
      expect(await heard('site')).to.equal([...hears]);
    });

    it(`${name}: both hooks hear of it as it was, once, though its repository is deleted at once`, async () => {
      const { world } = await makeWorld(events);
      await act(world);
      await send('DELETE', world.at);
      expect(await heard('organization')).to.equal([...hears]);
      expect(await heard('site')).to.equal([...hears]);
    });

    it(`${name}: the hook of the site hears of it though the organization is deleted at once`, async () => {
      const { org, world } = await makeWorld(events);
      await act(world);
      await send('DELETE', world.at);
      await send('DELETE', `/orgs/${org}`);
      expect(await heard('site')).to.equal([...hears]);
      expect(await heard('organization')).to.equal([]);
    });
  }

  it('a card that goes with its issue is told of with the issue that it showed', async () => {
    const { world } = await makeWorld(['project_card']);
    const { column } = await makeBoard(world);
    const { id, number } = await openIssue(world);
    await send('POST', `${column}/issues/${id}`);
    await send('DELETE', `${world.at}/issues/${number}`);
    await host.settle();
    const cards = received.filter(({ path }) => path === '/organization').map(({ payload }) => summary(payload));
    expect(cards).to.equal(['created Heard', 'deleted Heard']);
  });
});
