import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { base64, send, startScene, type Scene } from '@mortise/repositories/testing';
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
