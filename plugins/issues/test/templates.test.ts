import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { repositories } from '@mortise/repositories/api';
import { base64, commitFiles, send, startScene, type Scene } from '@mortise/repositories/testing';
import { boxesOf, isRequired, optionsOf } from '../services/form-answers.js';
import { readForm, readMarkdown } from '../services/issue-template.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what issues begin with', () => {
  let scene: Scene;
  const path = '/repos/ada/desk';
  before(async () => {
    scene = await startScene({ plugins: ['refs', 'files', 'forks', 'issues'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'desk', auto_init: true, issue_labels: 'Default' });
  });
  after(() => scene.host.close());

  it('reads the configuration of issues and tells what is wrong with it', async () => {
    expect((await send(scene.ben, 'GET', `${path}/issue_config`)).json).to.equal({
      blank_issues_enabled: true,
      contact_links: [],
    });
    const file = `${path}/contents/.gitea/issue_config.yaml`;
    const made = await send(scene.ada, 'POST', file, { content: base64('blank_issues_enabled: false\n') });
    expect((await send(scene.ben, 'GET', `${path}/issue_config`)).json.blank_issues_enabled).to.be.false();
    const broken = { content: base64('blank_issues_enabled: [\n'), sha: made.json.content.sha };
    await send(scene.ada, 'PUT', file, broken);
    expect((await send(scene.ben, 'GET', `${path}/issue_config/validate`)).json.valid).to.be.false();
    expect((await send(scene.ben, 'GET', `${path}/issue_config`)).json.blank_issues_enabled).to.be.true();
  });

  it('reads issue templates, and leaves broken ones out', () => {
    expect(readMarkdown('---\nname: A\nabout: b\nlabels: x, y\n---\ntext\n', 'a.md')).to.include({
      name: 'A',
      labels: ['x', 'y'],
      content: 'text\n',
    });
    for (const bad of ['no matter', '---\nname: A\n---\n', '---\n[\n---\n', '---\nname: [1]\nabout: x\n---\n'])
      expect(readMarkdown(bad, 'a.md'), bad).to.be.undefined();
    const form = (body: string) => readForm(`name: A\nabout: b\nbody:\n${body}`, 'a.yaml');
    expect(form('  - type: input\n    attributes:\n      label: x\n')?.body?.[0]?.visible).to.equal([
      'form',
      'content',
    ]);
    for (const bad of ['  - type: slider\n    attributes: {label: x}\n', '  - type: input\n', '  - 1\n', ''])
      expect(form(bad), bad).to.be.undefined();
  });

  it('U11: values of a form are the texts that were written, and what stands in a list is one', () => {
    const form = readForm(
      `name: 1.10
about: b
labels: [1.0, null]
body:
- type: dropdown
  attributes: {label: 2.0, default: 1, options: [1.10, 1.1, null, ~, true, No, 0x1F, 1e3, 7, '']}
- type: checkboxes
  validations: {required: true}
  attributes: {label: x, options: [{label: 3.0, required: true}, {label: null}, {label: true}]}`,
      'a.yaml',
    )!;
    const [list, boxes] = form.body!;
    expect([form.name, form.labels]).to.equal(['1.10', ['1.0', 'null']]);
    expect(optionsOf(list!)).to.equal(['1.10', '1.1', 'null', '~', 'true', 'No', '0x1F', '1e3', '7']);
    expect(list!.attributes).to.include({ label: '2.0', default: 1 });
    expect(boxesOf(boxes!).map(({ label, isRequired }) => [label, isRequired])).to.equal([
      ['3.0', true],
      ['null', false],
      ['true', false],
    ]);
    expect(isRequired(boxes!)).to.be.true();
  });

  it('U11: a file may begin with a mark of its byte order, and labels of check boxes are Markdown', async () => {
    const write = async (name: string, text: string) => {
      const url = `${path}/contents/.gitea/ISSUE_TEMPLATE/${name}`;
      expect((await send(scene.ada, 'POST', url, { content: base64(`\uFEFF${text}`) })).statusCode).to.equal(201);
    };
    await write('plain.md', '---\nname: Plain\nabout: b\n---\ntext\n');
    const label = '"I read the [rules](https://example.com/r), **all** <b onclick=x>of</b> `them`"';
    await write(
      'form.yaml',
      `name: Form\nabout: b\nbody:\n- type: checkboxes\n  attributes: {label: x, options: [{label: ${label}}, {label: "- a list"}]}\n`,
    );
    const { json } = await send(scene.ben, 'GET', `${path}/issue_templates`);
    expect((json as { name: string }[]).map(({ name }) => name).sort()).to.equal(['Form', 'Plain']);
    const page = await scene.ben.inject('/ada/desk/issues/new?template=.gitea%2FISSUE_TEMPLATE%2Fform.yaml');
    expect(page.payload).to.match(
      /<bdi class="markdown-body issue-form-label">I read the <a href="https:\/\/example\.com\/r"[^>]*>rules<\/a>, <strong>all<\/strong> <b>of<\/b> <code>them<\/code><\/bdi>/,
    );
    expect(page.payload).to.include('<span>- a list</span>');
    expect(readMarkdown('\uFEFF---\nname: A\nabout: b\n---\n', 'a.md')?.name).to.equal('A');
  });

  it('U5: templates and the configuration may be symbolic links', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'linked', auto_init: true });
    const repository = (await scene.host.services.get(repositories).byPath('ada', 'linked'))!;
    await commitFiles(scene.host, repository, {
      'texts/bug.md': '---\nname: Bug\nabout: b\n---\nlinked\n',
      'texts/config.yml': 'blank_issues_enabled: false\n',
      '.github/ISSUE_TEMPLATE/bug.md': '-> ../../texts/bug.md',
      '.github/ISSUE_TEMPLATE/out.md': '-> ../../../texts/bug.md',
      '.github/ISSUE_TEMPLATE/config.yml': '-> ../../texts/config.yml',
    });
    const { json } = await send(scene.ben, 'GET', '/repos/ada/linked/issue_templates');
    const found = (json as { name: string; content: string; file_name: string }[]).map((one) => [
      one.name,
      one.content,
      one.file_name,
    ]);
    expect(found).to.equal([['Bug', 'linked\n', '.github/ISSUE_TEMPLATE/bug.md']]);
    expect((await send(scene.ben, 'GET', '/repos/ada/linked/issue_config')).json.blank_issues_enabled).to.be.false();
  });

  it('a file that is nested deeper, or holds more, than any form needs is none and costs little', () => {
    const started = process.cpuUsage();
    const keys = Array.from({ length: 30_000 }, (_, at) => `k${at}:\n`).join('');
    for (const hostile of ['- '.repeat(120_000), '['.repeat(200_000), '? '.repeat(100_000), keys])
      expect(readForm(`name: A\nabout: b\nbody:\n${hostile}`, 'a.yaml')).to.be.undefined();
    const form = (attributes: string) => `name: A\nabout: b\nbody:\n- {type: input, attributes: ${attributes}}`;
    const meant = `&x {label: ${'a'.repeat(20_000)}}, validations: {y: [${'*x,'.repeat(90)}]}`;
    for (const hostile of ['&x {label: a, self: *x}', meant])
      expect(readForm(form(hostile), 'a.yaml')).to.be.undefined();
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).to.be.below(2000);
  });

  it('ISS-30: a new repository has the set of labels that was asked for, and what is made of it has them too', async () => {
    const names = async (repository: string) =>
      ((await send(scene.ada, 'GET', `/repos/ada/${repository}/labels`)).json as { name: string }[]).map(
        ({ name }) => name,
      );
    const all = await names('desk');
    expect(all).to.include(['bug', 'wontfix']).and.to.have.length(7);
    await send(scene.ada, 'PATCH', path, { template: true });
    const make = (name: string, more: object) =>
      send(scene.ada, 'POST', `${path}/generate`, { owner: 'ada', name, git_content: true, ...more });
    expect((await make('bare', {})).statusCode).to.equal(201);
    expect((await make('copy', { labels: true })).statusCode).to.equal(201);
    expect(await names('copy')).to.equal(all);
    expect(await names('bare')).to.equal([]);
    const refused = await send(scene.ada, 'POST', '/user/repos', { name: 'odd', issue_labels: 'Nothing' });
    expect(refused.statusCode).to.equal(422);
  });

  it('#12 and owner/name#12 lead to issues that the reader may see', async () => {
    const render = async (text: string, by = scene.ben, mode = 'comment') =>
      (
        await by.inject({
          method: 'POST',
          url: '/api/v1/markup',
          payload: { Text: text, Mode: mode, Context: 'ada/desk' },
        })
      ).payload.trim();
    await send(scene.ada, 'POST', `${path}/issues`, { title: 'one' });
    await send(scene.ada, 'POST', '/user/repos', { name: 'hidden', private: true });
    await send(scene.ada, 'POST', '/repos/ada/hidden/issues', { title: 'secret' });
    const root = scene.host.site.rootUrl;
    expect(await render('#1 !1 #2 a#1 ada/desk#1 ada/hidden#1')).to.equal(
      `<p><a href="${root}/ada/desk/issues/1">#1</a> <a href="${root}/ada/desk/issues/1">!1</a> #2 a#1 ` +
        `<a href="${root}/ada/desk/issues/1">ada/desk#1</a> ada/hidden#1</p>`,
    );
    expect(await render('ada/hidden#1', scene.ada)).to.include('/ada/hidden/issues/1');
    expect(await render('#1', scene.ada, 'gfm')).to.equal('<p>#1</p>');
  });
});
