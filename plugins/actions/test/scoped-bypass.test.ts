import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { ScopedSkipRow } from '../models/scoped-skip.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const pages = '/user/settings/actions/scoped-workflows';

describe('what required scoped workflows leave out', { timeout: 120_000 }, () => {
  let mill: Mill;
  const write = async (repository: string, path: string, text: string) => {
    const file = { content: Buffer.from(text).toString('base64'), branch: 'main' };
    const made = await mill.send('POST', `/api/v1/repos/ada/${repository}/contents/${path}`, file);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
  };
  const open = async (head: string, base: string, title = head) => {
    const made = await mill.send('POST', `${mill.api}/pulls`, { title, head, base });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    await mill.host.settle();
    return Number(made.body.number);
  };
  const change = async (pull: number, input: object) => {
    const done = await mill.send('PATCH', `${mill.api}/pulls/${pull}`, input);
    expect(done.status, JSON.stringify(done.body)).to.equal(201);
  };
  /** What is in the way of a merge, by the names of workflows. */
  const missing = async (pull: number) => {
    const refused = await mill.send('POST', `${mill.api}/pulls/${pull}/merge`, { Do: 'merge' });
    expect(refused.status).to.equal(405);
    const text = JSON.stringify(refused.body);
    return ['Gate', 'Typo', 'Late'].filter((name) => text.includes(`ada/rules: ${name} / *`));
  };
  /** Runs of a workflow for a commit, newest first. */
  const runsOf = async (file: string, sha: string) =>
    (await mill.runs(`&head_sha=${sha}`)).filter(({ path }) => String(path).startsWith(file)).map(({ id }) => id);

  before(async () => {
    mill = await Mill.start();
    await mill.send('POST', '/api/v1/user/repos', { name: 'rules', auto_init: true, default_branch: 'main' });
    const triggers = {
      Gate: '{ pull_request: { branches: [main] }, push: { branches: [main] } }',
      Typo: '{ pull_request: { branchs: [main] } }',
      Late: '{ pull_request: { types: [opened], branches: [main] } }',
    };
    const form: [string, string][] = [];
    for (const [name, on] of Object.entries(triggers)) {
      const file = `${name.toLowerCase()}.yml`;
      await write('rules', `.gitea/scoped_workflows/${file}`, `name: ${name}\n${workflowText(on, { lint: '' })}`);
      form.push(['workflow_ids', file], ['required_workflow_ids', file]);
      form.push([`required_patterns[${file}]`, `ada/rules: ${name} / *`]);
    }
    const { id } = (await mill.host.services.get(repositories).byPath('ada', 'rules'))!;
    await submitForm(mill.ada, `${pages}/add`, { repo_name: 'rules' });
    expect((await submitForm(mill.ada, `${pages}/required`, [['repo_id', String(id)], ...form])).statusCode).to.equal(
      303,
    );
    await mill.workflow('own.yml', workflowText('pull_request', { own: '' }));
    await mill.send('POST', `${mill.api}/branch_protections`, { rule_name: 'main' });
    await mill.send('POST', `${mill.api}/branches`, { new_branch_name: 'side', old_branch_name: 'main' });
    await mill.host.settle();
  });
  after(() => mill?.host.close());

  it('ACT-70: counts for the base branch alone, and with another they run', async () => {
    const sha = await mill.push({ 'a.txt': 'a' }, 'a', 'main', 'topic');
    const pull = await open('topic', 'side');
    const skips = await mill.host.database.query(ScopedSkipRow).orderBy('id');
    // not of the push, and not of what has no such filter
    expect(skips.map((row) => [row.workflow_id, row.pull_index, row.base_branch])).to.equal([
      ['gate.yml', pull, 'side'],
      ['late.yml', pull, 'side'],
    ]);
    await change(pull, { base: 'main' });
    expect(await missing(pull)).to.equal(['Gate', 'Typo', 'Late']);
    await mill.host.settle();
    expect(await missing(pull)).to.equal(['Gate', 'Typo', 'Late']);
    const [[gate], [late]] = [await runsOf('gate.yml', sha), await runsOf('late.yml', sha)];
    await mill.finish(gate, 'lint');
    expect(await missing(pull)).to.equal(['Typo', 'Late']);
    await mill.finish(late, 'lint', 'failure');
    expect(await missing(pull)).to.equal(['Typo', 'Late']);
    // each change of the base is looked at again, and what only the workflows of the repository want is not
    await change(pull, { base: 'side' });
    await mill.host.settle();
    await change(pull, { base: 'main', title: 'again' });
    await mill.host.settle();
    expect(await missing(pull)).to.equal(['Gate', 'Typo', 'Late']);
    expect(await runsOf('gate.yml', sha)).to.have.length(2);
    expect(await runsOf('own.yml', sha)).to.have.length(1);
  });

  it('ACT-70: counts for its own pull request alone, and no more when a run that failed is deleted', async () => {
    const sha = await mill.push({ 'b.txt': 'b' }, 'b', 'main', 'other');
    await open('other', 'side');
    const pull = await open('other', 'main');
    const [gate] = await runsOf('gate.yml', sha);
    await mill.finish(gate, 'lint', 'failure');
    // as if a filter had left it out before
    const { database } = mill.host;
    const skip = (await database.query(ScopedSkipRow).findOne({ commit_sha: sha, workflow_id: 'gate.yml' }))!;
    const { id: _id, ...row } = { ...skip, pull_index: pull, base_branch: 'main' };
    await database.write(() => database.query(ScopedSkipRow).insert(row));
    expect(await missing(pull)).to.include('Gate');
    expect((await mill.send('DELETE', `${mill.api}/actions/runs/${String(gate)}`)).status).to.equal(204);
    expect(await missing(pull)).to.include('Gate');
  });

  it('ACT-70: is not what words in a title or a message say', async () => {
    const sha = await mill.push({ 'c.txt': 'c' }, 'c [skip ci]', 'main', 'quiet');
    const pull = await open('quiet', 'main', 'hush [skip ci]');
    expect(await runsOf('own.yml', sha)).to.equal([]);
    const [gate] = await runsOf('gate.yml', sha);
    await mill.finish(gate, 'lint');
    expect(await missing(pull)).to.equal(['Typo', 'Late']);
  });

  it('ACT-70: of the same job the run that changed last counts', async () => {
    const sha = await mill.push({ 'd.txt': 'd' }, 'd', 'main', 'twice');
    const pull = await open('twice', 'main');
    const [first] = await runsOf('gate.yml', sha);
    await mill.finish(first, 'lint', 'failure');
    for (const state of ['closed', 'open']) await change(pull, { state });
    await mill.host.settle();
    const [second] = await runsOf('gate.yml', sha);
    expect(second).not.to.equal(first);
    await mill.finish(second, 'lint');
    expect(await missing(pull)).not.to.include('Gate');
    await mill.send('POST', `${mill.api}/actions/runs/${String(first)}/rerun`);
    await mill.finish(first, 'lint', 'failure');
    expect(await missing(pull)).to.include('Gate');
  });
});
