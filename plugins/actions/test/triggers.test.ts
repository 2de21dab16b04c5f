import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { activityRecorded } from '@mortise/activity-events/api';
import { activityListener } from '@mortise/activity-events/testing';
import { events } from '@mortise/plugin-sdk';
import { ScheduleSpecRow } from '../models/schedule-spec.js';
import { RunPayloadRow } from '../models/run-payload.js';
import { dueSchedules } from '../services/runs/schedules.js';
import { workflowTriggerRef } from '../wiring/runs.js';
import { startSchedules } from '../services/runs/job-definitions.js';
import { jobs as jobsRef } from '@mortise/plugin-sdk';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what starts workflows', () => {
  let mill: Mill;
  const listener = activityListener();
  before(async () => {
    mill = await Mill.start(['releases', 'wiki', 'reviews'], [listener.plugin]);
  });
  after(() => mill.host.close());
  const names = async (from = 0) =>
    (await mill.runs())
      .filter((run) => Number(run.id) > from)
      .map((run) => `${String(run.path).replace(/@.*/, '')} ${String(run.event)}`)
      .sort();
  const newest = async () => Number((await mill.runs())[0]?.id ?? 0);

  it('is a push, once for each activity event that tells of it', async () => {
    await mill.workflow('all.yml', workflowText('push', { one: '' }));
    const from = await newest();
    await mill.touch();
    expect(await names(from)).to.equal(['all.yml push']);
    const push = listener.events.findLast(({ kind }) => kind === 'push')!;
    await mill.host.database.write(() =>
      mill.host.services.get(events).emit(activityRecorded, { activityEvents: [push] }),
    );
    await mill.host.settle();
    expect(await names(from)).to.equal(['all.yml push']);
  });

  it('is what happens to issues, also when all labels go', async () => {
    await mill.workflow('issue.yml', workflowText('{ issues: { types: [opened, unlabeled] } }', { one: '' }));
    const label = await mill.send('POST', `${mill.api}/labels`, { name: 'red', color: '#ff0000' });
    const from = await newest();
    const issue = await mill.send('POST', `${mill.api}/issues`, { title: 'x', labels: [label.body.id] });
    await mill.host.settle();
    expect(await names(from)).to.equal(['issue.yml issues']);
    await mill.send('DELETE', `${mill.api}/issues/${String(issue.body.number)}/labels`);
    await mill.host.settle();
    expect(await names(from)).to.equal(['issue.yml issues', 'issue.yml issues']);
  });

  it('is a draft that is published, and a release that goes', async () => {
    const types = '[published, edited, deleted]';
    await mill.workflow('ship.yml', workflowText(`{ release: { types: ${types} } }`, { one: '' }));
    const from = await newest();
    const seen = async () => {
      await mill.host.settle();
      const rows = await mill.host.database.query(RunPayloadRow).where('run_id', '>', from).orderBy('run_id');
      return rows.map(({ payload }) => (JSON.parse(payload) as { readonly action: string }).action);
    };
    const draft = await mill.send('POST', `${mill.api}/releases`, { tag_name: 'v9', draft: true });
    expect([draft.status, await seen()]).to.equal([201, []]);
    const url = `${mill.api}/releases/${String(draft.body.id)}`;
    expect((await mill.send('PATCH', url, { draft: false })).status).to.equal(200);
    expect(await seen()).to.equal(['published']);
    expect((await mill.send('DELETE', url)).status).to.equal(204);
    expect(await seen()).to.equal(['published', 'deleted']);
  });

  it('is another run, by its name and how it stands (ACT-73)', async () => {
    await mill.workflow('build.yml', `name: Build\n${workflowText('workflow_dispatch', { one: '' })}`);
    await mill.workflow(
      'after.yml',
      workflowText('{ workflow_run: { workflows: [Build], types: [completed] } }', { one: '' }),
    );
    const from = await newest();
    const made = await mill.send('POST', `${mill.api}/actions/workflows/build.yml/dispatches?return_run_details=1`, {
      ref: 'main',
    });
    await mill.host.settle();
    expect(await names(from)).to.equal(['build.yml workflow_dispatch']);
    await mill.finish(made.body.workflow_run_id, 'one');
    expect(await names(from)).to.equal(['after.yml workflow_run', 'build.yml workflow_dispatch']);
  });

  it('is a tag that goes, told by its full name', async () => {
    await mill.workflow('gone.yml', workflowText('delete', { one: '' }));
    expect((await mill.send('POST', `${mill.api}/tags`, { tag_name: 'v1' })).status).to.equal(201);
    await mill.host.settle();
    const from = await newest();
    expect((await mill.send('DELETE', `${mill.api}/tags/v1`)).status).to.equal(204);
    await mill.host.settle();
    expect(await names(from)).to.equal(['gone.yml delete']);
    const row = await mill.host.database.query(RunPayloadRow).findById(await newest());
    expect(JSON.parse(row!.payload)).to.include({ ref: 'refs/tags/v1', ref_type: 'tag' });
  });

  it('is recorded itself (HOK-18, HOK-19)', async () => {
    listener.events.length = 0;
    await mill.touch();
    const [run] = await mill.runs();
    await mill.finish(run!.id, 'one');
    const told = listener.events
      .filter(({ kind }) => kind.startsWith('workflow_'))
      .map(({ kind, action }) => `${kind} ${action}`);
    expect(told).to.equal([
      'workflow_run requested',
      'workflow_job queued',
      'workflow_run in_progress',
      'workflow_job in_progress',
      'workflow_run completed',
      'workflow_job completed',
    ]);
  });

  it('is the clock, once each time, and never what cannot occur', async () => {
    const crons = "{ schedule: [{ cron: '*/5 * * * *' }, { cron: '0 0 31 2 *' }] }";
    await mill.workflow('clock.yml', workflowText(crons, { one: '' }));
    const { database, services } = mill.host;
    const specs = await database.query(ScheduleSpecRow);
    expect(specs.map(({ spec }) => spec)).to.equal(['*/5 * * * *']);
    const from = await newest();
    await database.write(() => database.query(ScheduleSpecRow).patch({ next_at: Date.now() - 1000 }));
    for (let times = 0; times < 2; times++) {
      await services
        .get(jobsRef)
        .enqueue(startSchedules, {})
        .catch(async () => undefined);
      await mill.host.settle();
    }
    expect(await names(from)).to.equal(['clock.yml schedule']);
    const [run] = await mill.runs();
    expect(run!.actor).to.include({ login: 'gitea-actions' });
  });

  it('is the clock for repositories in turn, at each time once', async () => {
    const times = JSON.stringify(['1 1 * * *', '1 1 * * *', '2 2 * * *'].map((cron) => ({ cron })));
    await mill.workflow('twice.yml', workflowText(`{ schedule: ${times} }`, { one: '' }));
    const { database } = mill.host;
    const specs = await database.query(ScheduleSpecRow).orderBy('id');
    expect(specs.map(({ spec }) => spec)).to.equal(['*/5 * * * *', '1 1 * * *', '2 2 * * *']);
    const other = { schedule_id: specs[0]!.schedule_id, repository_id: 999_999, previous_at: 0 };
    await database.write(() => database.query(ScheduleSpecRow).patch({ next_at: 1000 }));
    const late = await database.write(() =>
      database.query(ScheduleSpecRow).insertAndFetch({ ...other, spec: '3 3 * * *', next_at: 2000 }),
    );
    const ids = specs.map(({ id }) => id);
    const due = async (max: number) => (await dueSchedules(database, 5000, max)).map(({ id }) => id);
    expect(await due(2)).to.equal([ids[0], late.id]);
    expect(await due(9)).to.equal([ids[0], late.id, ids[1], ids[2]]);
    await database.write(() => database.query(ScheduleSpecRow).delete());
  });

  it('is not looked for where issues can start none, until a workflow is there', async () => {
    const { database } = mill.host;
    const { body } = await mill.send('POST', '/api/v1/user/repos', { name: 'calm', auto_init: true });
    const api = `/api/v1/repos/${String(body.full_name)}`;
    const open = () => mill.send('POST', `${api}/issues`, { title: 'x' });
    const waiting = async () => {
      const rows = await database.knex()('event_delivery').where('subscriber', 'actions/start-workflows');
      return rows.length;
    };
    const runs = async () => (await mill.send('GET', `${api}/actions/runs`)).body.total_count;
    await mill.host.settle();
    await open();
    // that there are none is known for a moment only, on MySQL, which may be over
    for (let tries = 0; tries === 0 || ((await waiting()) > 0 && tries < 20); tries++) {
      await mill.host.settle();
      await open();
    }
    expect(await waiting()).to.equal(0);
    const content = Buffer.from(workflowText('issues', { one: '' })).toString('base64');
    await mill.send('POST', `${api}/contents/.gitea/workflows/issue.yml`, { content, message: 'add [skip ci]' });
    await open();
    expect(await waiting()).to.be.above(0);
    await mill.host.settle();
    expect(await runs()).to.equal(1);
  });

  it('S11: a push of very many branches lets others in between two of them', async () => {
    const push = listener.events.findLast(({ kind }) => kind === 'push')!;
    const activityEvents = Array.from({ length: 300 }, (_, number) => ({ ...push, id: `push:many-${number}` }));
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await mill.host.services.get(workflowTriggerRef).handleAll(activityEvents);
    isOver = true;
    expect(turns).to.be.at.least(activityEvents.length);
  });

  it('is nothing of these while the unit is off', async () => {
    const from = await newest();
    await mill.send('PATCH', mill.api, { has_actions: false });
    await mill.touch();
    await mill.send('PATCH', mill.api, { has_actions: true });
    await mill.host.settle();
    expect(await names(from)).to.equal([]);
  });
});
