import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { inEnglish, textOf } from '@mortise/plugin-sdk';
import { type ActivityEvent } from '@mortise/activity-events/api';
import { activityListener } from '@mortise/activity-events/testing';
import { api, makeLabel, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('what is told of issues', () => {
  let world: World;
  const listener = activityListener();
  before(async () => {
    world = await makeWorld(['issues', 'activity', listener.plugin]);
  });
  after(() => world.host.close());
  beforeEach(async () => {
    await world.host.settle();
    listener.events.length = 0;
  });

  interface Payload {
    readonly action: string;
    readonly number: number;
    readonly changes: unknown;
    readonly is_pull: boolean;
    readonly issue: { readonly title: string; readonly comments: number };
    readonly comment: { readonly body: string };
    readonly repository: { readonly full_name: string };
    readonly sender: { readonly login: string };
  }
  const payload = (one: ActivityEvent) =>
    listener.kindOf(one).payload(one, { maxItems: 5 }) as unknown as Promise<Payload | undefined>;

  it('HOK-27, HOK-28: each change once, with what receivers expect', async () => {
    const label = await makeLabel(world.ada, 'told');
    const { number } = await open(world.ada, { labels: [label], assignees: ['ben'] });
    const at = `${api}/issues/${number}`;
    await send(world.ada, 'PATCH', at, { title: 'Another title' });
    await send(world.ada, 'PATCH', at, { state: 'closed' });
    await send(world.ada, 'PATCH', at, { state: 'closed' });
    await send(world.ada, 'DELETE', `${at}/labels`);
    await world.host.settle();
    expect(listener.events.map(({ kind, action }) => `${kind} ${action}`)).to.equal([
      'issues opened',
      'issue_assign assigned',
      'issue_label label_updated',
      'issues edited',
      'issues closed',
      'issue_label label_cleared',
    ]);
    const edited = (await payload(listener.events[3]!))!;
    expect([edited.action, edited.number, edited.changes]).to.equal([
      'edited',
      number,
      { title: { from: 'A title' }, added_labels: null, removed_labels: null },
    ]);
    expect([edited.issue.title, edited.repository.full_name, edited.sender.login]).to.equal([
      'Another title',
      'ada/desk',
      'ada',
    ]);
    const line = await listener.kindOf(listener.events[4]!).describe(listener.events[4]!);
    expect(inEnglish(() => textOf(line!.title))).to.equal(`ada closed issue #${number} Another title in ada/desk`);
    expect(new URL(line!.url).pathname).to.equal(`/ada/desk/issues/${number}`);
  });

  it('HOK-14, HOK-15: comments with the new count, and what is deleted as it was', async () => {
    const { number } = await open(world.ada);
    const said = await send<{ id: number }>(world.ben, 'POST', `${api}/issues/${number}/comments`, { body: 'Hello' });
    await world.host.settle();
    const created = (await payload(listener.events.at(-1)!))!;
    expect([created.action, created.issue.comments, created.comment.body, created.is_pull]).to.equal([
      'created',
      1,
      'Hello',
      false,
    ]);
    await send(world.ben, 'DELETE', `${api}/issues/comments/${said.body.id}`);
    await send(world.ada, 'DELETE', `${api}/issues/${number}`);
    await world.host.settle();
    const [comment, issue] = [await payload(listener.events.at(-2)!), await payload(listener.events.at(-1)!)];
    expect(issue!.action).to.equal('deleted');
    expect(issue!.issue.title).to.equal('A title');
    // the issue is gone, and with it what the comment stood on
    expect(comment).to.be.undefined();
  });

  it('feeds tell of issues and comments', async () => {
    const { number } = await open(world.cas, { title: 'For the feed' });
    await send(world.cas, 'POST', `${api}/issues/${number}/comments`, { body: 'More of it' });
    await send(world.cas, 'PATCH', `${api}/issues/${number}`, { state: 'closed' });
    await world.host.settle();
    const feed = await send<{ op_type: string; content: string; comment: { body: string } | null }[]>(
      world.ada,
      'GET',
      '/api/v1/users/cas/activities/feeds?only-performed-by=true',
    );
    expect(feed.body.map((one) => [one.op_type, one.content, one.comment?.body ?? ''])).to.equal([
      ['close_issue', `${number}|For the feed`, ''],
      ['comment_issue', `${number}|More of it`, 'More of it'],
      ['create_issue', `${number}|For the feed`, ''],
    ]);
  });

  it('who is blocked is assigned to nothing any more', async () => {
    const { number } = await open(world.ada, { assignees: ['ben'] });
    expect((await send(world.ada, 'PUT', '/api/v1/user/blocks/ben')).status).to.equal(204);
    const { body } = await send<{ assignees: unknown }>(world.ada, 'GET', `${api}/issues/${number}`);
    expect(body.assignees).to.be.null();
  });
});
