import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pageIn, submitForm } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { ScopedSourceRow } from '../models/scoped-source.js';
import { contextsOf } from '../services/runs/scoped-previews.js';
import { parseWorkflow } from '../workflow/index.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const pages = '/user/settings/actions/scoped-workflows';

describe('scoped workflows on settings pages', { timeout: 120_000 }, () => {
  let mill: Mill;
  let id: number;
  const get = async (path: string, status = 200) => {
    const answer = await mill.ada.inject(path);
    expect(answer.statusCode, path).to.equal(status);
    return answer.payload;
  };
  const rows = () => mill.host.database.query(ScopedSourceRow);

  before(async () => {
    mill = await Mill.start(['admin']);
    await mill.push({
      '.gitea/scoped_workflows/check.yml': `name: Check\n${workflowText('[push, release]', { lint: '' })}`,
      '.gitea/scoped_workflows/hand.yml': workflowText('workflow_dispatch', { go: '' }),
      '.gitea/scoped_workflows/broken.yml': 'on: push\njobs: 7\n',
    });
    id = (await mill.host.services.get(repositories).byPath('ada', 'mill'))!.id;
    await mill.send('POST', '/api/v1/orgs', { username: 'guild' });
    await mill.send('POST', '/api/v1/orgs/guild/repos', { name: 'rules', auto_init: true });
    await mill.send('POST', '/api/v1/user/repos', { name: 'other', auto_init: true, private: true });
  });
  after(() => mill?.host.close());

  it('ACT-68 a source is added and shown with what it posts; only repositories of the owner', async () => {
    expect(await get(pages)).to.include('No scoped workflows');
    for (const name of ['nothing', 'guild/rules', '', '/']) {
      const refused = await submitForm(mill.ada, `${pages}/add`, { repo_name: name });
      expect(refused.statusCode, name).to.equal(422);
    }
    expect((await submitForm(mill.ada, `${pages}/add`, { repo_name: 'mill' })).statusCode).to.equal(303);
    expect((await submitForm(mill.ada, `${pages}/add`, { repo_name: 'ada/mill' })).statusCode).to.equal(303);
    expect(await rows().where('source_repo_id', id)).to.have.length(1);
    const html = await get(pages);
    expect(html).to.include([
      'ada/mill: Check / lint (push)',
      'ada/mill: Check / lint (release)',
      'post no status checks',
      'color-fg-danger',
    ]);
    expect(await pageIn(mill.ada, 'de', pages)).to.include('Quelle hinzufügen');
    expect(await pageIn(mill.ada, 'zh-CN', pages)).to.include('添加来源');
  });

  it('ACT-68 pages of an organization and of the site are for those who administer them', async () => {
    const { ada, ben } = mill;
    const ofGuild = '/org/guild/settings/actions/scoped-workflows';
    expect((await submitForm(ada, `${ofGuild}/add`, { repo_name: 'rules' })).statusCode).to.equal(303);
    expect((await submitForm(ada, `${ofGuild}/add`, { repo_name: 'ada/mill' })).statusCode).to.equal(422);
    for (const path of [ofGuild, '/-/admin/actions/scoped-workflows']) {
      expect((await ben.inject(path)).statusCode, path).to.be.within(403, 404);
      const sent = await ben.inject({ method: 'POST', url: `${path}/add`, payload: { repo_name: 'rules' } });
      expect(sent.statusCode, path).to.be.within(400, 404);
    }
    expect(await get(ofGuild)).to.include('The branch main has no scoped workflows');
  });

  it('ACT-68 programs are answered in JSON', async () => {
    const send = async (act: string, fields: Record<string, string>) => {
      const answer = await submitForm(mill.ada, `${pages}/${act}`, fields, { accept: '*/*' });
      return [answer.statusCode, answer.statusCode === 200 ? (JSON.parse(answer.payload) as unknown) : undefined];
    };
    expect(await send('add', { repo_name: 'mill' })).to.equal([200, { redirect: `${pages}?saved=1` }]);
    expect(await send('add', { repo_name: 'nothing' })).to.equal([400, undefined]);
    expect(await send('required', { repo_id: '0' })).to.equal([400, undefined]);
  });

  it('ACT-69 the search finds repositories of the owner only', async () => {
    expect(await get(`${pages}?q=othe`)).to.include('value="ada/other"');
    const none = await get(`${pages}?q=rules`);
    expect(none).to.include('No repositories found').and.not.to.include('value="guild/rules"');
  });

  it('ACT-70 a workflow is required with patterns, never without; what is refused is shown again', async () => {
    const form = (patterns: string): [string, string][] => [
      ['repo_id', String(id)],
      ['workflow_ids', 'check.yml'],
      ['workflow_ids', 'hand.yml'],
      ['required_workflow_ids', 'check.yml'],
      ['required_patterns[check.yml]', patterns],
    ];
    const save = (patterns: string) => submitForm(mill.ada, `${pages}/required`, form(patterns));
    const stored = async () => (await rows().findOne({ source_repo_id: id }))!.workflow_configs;
    expect((await save(' \n')).statusCode).to.equal(422);
    const broken = await save('[a\n');
    expect(broken.statusCode).to.equal(422);
    expect(broken.payload).to.include('[a');
    expect(await stored()).to.equal({});
    expect((await save('ada/mill: Check / *\r\nsecond\r\nsecond')).statusCode).to.equal(303);
    const config = { required: true, patterns: ['ada/mill: Check / *', 'second'] };
    expect(await stored()).to.equal({ 'check.yml': config });
    const gone: [string, string][] = [
      ['repo_id', String(id)],
      ['workflow_ids', 'old.yml'],
      ['required_workflow_ids', 'old.yml'],
      ['required_patterns[old.yml]', 'old'],
    ];
    await submitForm(mill.ada, `${pages}/required`, gone);
    expect(await stored()).to.equal({ 'check.yml': config, 'old.yml': { required: true, patterns: ['old'] } });
    expect(await get(pages)).to.include(['This file no longer exists', 'ada/mill: Check / *\nsecond']);
    await submitForm(mill.ada, `${pages}/required`, gone.slice(0, 2).concat([['required_patterns[old.yml]', 'old']]));
    expect(await stored()).to.equal({ 'check.yml': config });
    const other = await submitForm(mill.ada, '/org/guild/settings/actions/scoped-workflows/required', form('x'));
    expect(other.statusCode).to.equal(422);
  });

  it('ACT-68 a source is removed; its repository takes it along', async () => {
    expect((await submitForm(mill.ada, `${pages}/remove`, { repo_id: String(id) })).statusCode).to.equal(303);
    expect((await submitForm(mill.ada, `${pages}/remove`, { repo_id: String(id) })).statusCode).to.equal(422);
    await submitForm(mill.ada, `${pages}/add`, { repo_name: 'other' });
    const moved = await mill.send('POST', '/api/v1/repos/ada/other/transfer', { new_owner: 'guild' });
    expect(moved.status).to.be.within(201, 202);
    expect(await get(pages)).to.include('No scoped workflows');
  });

  it('contexts of what is not known yet have a star', () => {
    const text = [
      'name: Build',
      'on: [push, pull_request, schedule]',
      'jobs:',
      '  a:',
      '    name: on ${{ matrix.os }}',
      '    runs-on: linux',
      '    strategy: { matrix: { os: "${{ fromJSON(vars.systems) }}" } }',
      '    steps: [{ run: "true" }]',
      '  b: { runs-on: linux, strategy: { matrix: { n: [1, 2] } }, steps: [{ run: "true" }] }',
    ].join('\n');
    const { workflow } = parseWorkflow(Buffer.from(text), 'build.yml');
    expect(contextsOf('', 'build.yml', workflow!)).to.equal([
      'Build / on * (push)',
      'Build / b (*) (push)',
      'Build / on * (pull_request)',
      'Build / b (*) (pull_request)',
    ]);
  });
});
