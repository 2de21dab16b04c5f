import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const pages = '/user/settings/actions/scoped-workflows';

describe('required scoped workflows', { timeout: 120_000 }, () => {
  let mill: Mill;
  let pull = 0;
  const write = async (repository: string, path: string, text: string, more: object = { branch: 'main' }) => {
    const content = Buffer.from(text).toString('base64');
    const made = await mill.send('POST', `/api/v1/repos/ada/${repository}/contents/${path}`, { content, ...more });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    await mill.host.settle();
  };
  const merge = () => mill.send('POST', `${mill.api}/pulls/${pull}/merge`, { Do: 'merge' });
  const runOf = async (file: string) => (await mill.runs()).find(({ path }) => String(path).startsWith(file))!;

  before(async () => {
    mill = await Mill.start();
    await mill.send('POST', '/api/v1/user/repos', { name: 'rules', auto_init: true, default_branch: 'main' });
    const scoped = (name: string) => `.gitea/scoped_workflows/${name}`;
    await write('rules', scoped('check.yml'), `name: Check\n${workflowText('pull_request', { lint: '' })}`);
    const filtered = workflowText('{ pull_request: { paths: [docs/**] } }', { spell: '' });
    await write('rules', scoped('docs.yml'), `name: Docs\n${filtered}`);
    const { id } = (await mill.host.services.get(repositories).byPath('ada', 'rules'))!;
    await submitForm(mill.ada, `${pages}/add`, { repo_name: 'rules' });
    const form: [string, string][] = [
      ['repo_id', String(id)],
      ...['check', 'docs'].flatMap((name): [string, string][] => [
        ['workflow_ids', `${name}.yml`],
        ['required_workflow_ids', `${name}.yml`],
        [`required_patterns[${name}.yml]`, name === 'check' ? 'ada/rules: Check / *' : 'ada/rules: Docs / *'],
      ]),
    ];
    expect((await submitForm(mill.ada, `${pages}/required`, form)).statusCode).to.equal(303);
    // workflows of the repository itself that post under the same names
    await mill.workflow('own.yml', `name: "ada/rules: Check"\n${workflowText('pull_request', { lint: '' })}`);
    const skipped = workflowText('{ pull_request: { paths: [x] } }', { spell: '' });
    await mill.workflow('fake.yml', `name: "ada/rules: Docs"\n${skipped}`);
    await mill.send('POST', `${mill.api}/branch_protections`, { rule_name: 'main' });
    await write('mill', 'a.txt', 'a', { branch: 'main', new_branch: 'topic' });
    const made = await mill.send('POST', `${mill.api}/pulls`, { title: 'one', head: 'topic', base: 'main' });
    pull = Number(made.body.number);
    await mill.host.settle();
  });
  after(() => mill?.host.close());

  it('ACT-70: are met by runs of their source alone, not by statuses of the same name', async () => {
    const context = 'ada/rules: Check / lint (pull_request)';
    const { body } = await mill.send('GET', `${mill.api}/pulls/${pull}`);
    const { sha } = body.head as { readonly sha: string };
    const status = { context, state: 'success', description: 'posted by hand' };
    expect((await mill.send('POST', `${mill.api}/statuses/${sha}`, status)).status).to.equal(201);
    await mill.finish((await runOf('own.yml')).id, 'lint');
    expect(await mill.statuses(sha)).to.include({ [context]: 'success: Successful in <time>' });
    const refused = await merge();
    expect(refused.status).to.equal(405);
    expect(JSON.stringify(refused.body)).to.include('ada/rules: Check / *').and.not.to.include('Docs');
    await mill.finish((await runOf('check.yml')).id, 'lint', 'failure');
    expect((await merge()).status).to.equal(405);
    const { id } = await runOf('check.yml');
    expect((await mill.send('POST', `${mill.api}/actions/runs/${String(id)}/rerun`)).status).to.equal(201);
    expect((await merge()).status).to.equal(405);
    await mill.finish(id, 'lint');
    expect((await merge()).status).to.equal(200);
  });

  it('ACT-70: what a filter of the source leaves out waits for nothing, and own workflows do not answer for it', async () => {
    await write('mill', 'docs/b.md', 'b', { branch: 'main', new_branch: 'words' });
    const made = await mill.send('POST', `${mill.api}/pulls`, { title: 'two', head: 'words', base: 'main' });
    pull = Number(made.body.number);
    await mill.host.settle();
    await mill.finish((await runOf('check.yml')).id, 'lint');
    const refused = await merge();
    expect(refused.status).to.equal(405);
    expect(JSON.stringify(refused.body)).to.include('ada/rules: Docs / *').and.not.to.include('Check');
    await mill.finish((await runOf('docs.yml')).id, 'spell');
    expect((await merge()).status).to.equal(200);
  });
});
