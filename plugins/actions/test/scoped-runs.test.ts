// Runs that a source of scoped workflows brings to the repositories of its owner.
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { ScopedSourceRow } from '../models/scoped-source.js';
import { RunRow } from '../models/run.js';
import { actionsSettingsSchema, type ActionsSettings } from '../settings.js';
import { helloWorkflow } from '../testing.js';
import { Mill } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const pages = '/user/settings/actions/scoped-workflows';

describe('runs of scoped workflows', { timeout: 120_000 }, () => {
  let mill: Mill;
  let source: number;
  const folder = '.gitea/scoped_workflows';
  const rowOf = (id: unknown) => mill.host.database.query(RunRow).findById(Number(id));
  const dispatch = (query = '') =>
    mill.send('POST', `${mill.api}/actions/workflows/all.yml/dispatches?return_run_details=true${query}`, {
      ref: 'main',
    });

  before(async () => {
    mill = await Mill.start();
    await mill.send('POST', '/api/v1/user/repos', { name: 'rules', auto_init: true, default_branch: 'main' });
    source = (await mill.host.services.get(repositories).byPath('ada', 'rules'))!.id;
    const triggers =
      '\n  push:\n  workflow_dispatch:\n  schedule: [{ cron: "0 4 * * *" }]\n  workflow_run: { workflows: [hello] }';
    const content = Buffer.from(helloWorkflow(triggers)).toString('base64');
    const file = { content, branch: 'main' };
    const made = await mill.send('POST', `/api/v1/repos/ada/rules/contents/${folder}/all.yml`, file);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect((await submitForm(mill.ada, `${pages}/add`, { repo_name: 'rules' })).statusCode).to.equal(303);
    await mill.host.settle();
  });
  after(() => mill?.host.close());

  it('ACT-14, ACT-15, ACT-16: a source has an owner, a repository, and what is required of each workflow', async () => {
    const rows = () => mill.host.database.query(ScopedSourceRow).where('source_repo_id', source);
    const [row] = await rows();
    expect(row).to.include({ owner_id: mill.ada.account.id, source_repo_id: source, workflow_configs: {} });
    const require = (patterns: string) =>
      submitForm(mill.ada, `${pages}/required`, [
        ['repo_id', String(source)],
        ['workflow_ids', 'all.yml'],
        ['required_workflow_ids', 'all.yml'],
        ['required_patterns[all.yml]', patterns],
      ]);
    expect((await require('')).statusCode).to.equal(422);
    expect((await require('ada/rules: hello / *')).statusCode).to.equal(303);
    const config = { required: true, patterns: ['ada/rules: hello / *'] };
    expect((await rows())[0]!.workflow_configs).to.equal({ 'all.yml': config });
  });

  it('ACT-08, ACT-09, ACT-18: a scoped run names the source and its commit, and so does its commit status', async () => {
    const sha = await mill.touch();
    const [run, ...others] = await mill.runs(`&head_sha=${sha}`);
    expect(others).to.equal([]);
    const row = (await rowOf(run!.id))!;
    const tip = (await mill.send('GET', '/api/v1/repos/ada/rules/branches/main')).body.commit as {
      readonly id: string;
    };
    expect([row.is_scoped_run, row.workflow_repo_id, row.workflow_commit_sha]).to.equal([true, source, tip.id]);
    expect(Object.keys(await mill.statuses(sha))).to.equal(['ada/rules: hello / greet (push)']);
  });

  it('ACT-74: neither a schedule nor a run that ended starts a scoped workflow; its other triggers count', async () => {
    const sha = await mill.touch();
    const [run] = await mill.runs(`&head_sha=${sha}`);
    expect(run!.event).to.equal('push');
    await mill.finish(run!.id, 'greet');
    await mill.host.settle();
    expect(await mill.runs('&event=workflow_run')).to.equal([]);
    expect(await mill.host.database.knex()('action_schedule').select('id')).to.equal([]);
  });

  it('ACT-62, ACT-75: a scoped workflow is dispatched over the API and from the page', async () => {
    // without its source there is no such workflow
    expect((await dispatch()).status).to.equal(404);
    const made = await dispatch(`&scoped_workflow_source_repo_id=${source}`);
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const isScoped = async (id: unknown) => {
      const row = (await rowOf(id))!;
      return [row.is_scoped_run, row.workflow_repo_id, row.trigger_event];
    };
    expect(await isScoped(made.body.workflow_run_id)).to.equal([true, source, 'workflow_dispatch']);
    const form = { workflow: 'all.yml', ref: 'refs/heads/main', scoped_workflow_source_repo_id: String(source) };
    const sent = await submitForm(mill.ada, '/ada/mill/actions/run', form);
    expect(sent.statusCode).to.equal(303);
    const id = Number(/\d+$/.exec(String(sent.headers.location))![0]);
    expect(id).to.be.above(Number(made.body.workflow_run_id));
    expect(await isScoped(id)).to.equal([true, source, 'workflow_dispatch']);
  });

  it('LIM-05: folders of scoped workflows have defaults, and an empty setting turns them off', () => {
    const folders = (given: object) =>
      (actionsSettingsSchema.validate(given).value as ActionsSettings).SCOPED_WORKFLOW_DIRS;
    expect(folders({})).to.equal(['.mortise/scoped_workflows', '.gitea/scoped_workflows']);
    expect(folders({ SCOPED_WORKFLOW_DIRS: '' })).to.equal([]);
    expect(folders({ SCOPED_WORKFLOW_DIRS: './own/flows/' })).to.equal(['own/flows']);
  });
});
