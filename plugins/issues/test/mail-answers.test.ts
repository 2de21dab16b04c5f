import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { signUp } from '@mortise/accounts/testing';
import { incomingMailHandlers, type IncomingMail, type IncomingMailHandler } from '@mortise/mail/api';
import { definePlugin } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { issues } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const desk = '/api/v1/repos/ada/desk';

describe('issue 29: comments by mail', () => {
  let host: TestHost;
  let handler: () => IncomingMailHandler | undefined = () => undefined;
  const reader = definePlugin({
    name: 'answer-reader',
    version: '1.0.0',
    sdk: '*',
    requires: { mail: '*', issues: '*' },
    register(plugin) {
      const handlers = plugin.point(incomingMailHandlers);
      handler = () => handlers.get('issue');
    },
  });
  before(async () => {
    host = await startHost({ plugins: ['issues', 'mail', reader] });
  });
  after(() => host.close());

  it('are made once with all of their files, though the process is killed in between', async () => {
    const ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'desk' } });
    const made = await ada.inject({ method: 'POST', url: `${desk}/issues`, payload: { title: 'lamp' } });
    const { id } = (await host.services.get(issues).byIndex(1, made.json.number))!;
    const file = (name: string) => ({ name, contentType: 'text/plain', content: Buffer.from(name) });
    let recordedId: number | undefined;
    const mail = (files: IncomingMail['attachments'], record: IncomingMail['record']): IncomingMail => ({
      text: '',
      attachments: files,
      recordedId,
      record,
    });
    const comments = async () =>
      (await ada.inject(`${desk}/issues/1/comments`)).json as { body: string; assets: { name: string }[] }[];
    // killed before the commit: nothing is there
    const dies = async () => {
      throw new Error('killed');
    };
    await expect(handler()!.handle(id, mail([file('a.txt')], dies), ada.account.id)).to.reject('killed');
    expect(await comments()).to.equal([]);
    // killed after the first file
    const record = async (commentId: number) => void (recordedId = commentId);
    await handler()!.handle(id, mail([file('a.txt')], record), ada.account.id);
    await handler()!.handle(id, mail([file('a.txt'), file('b.txt')], dies), ada.account.id);
    const [comment, ...more] = await comments();
    expect([comment!.assets.map(({ name }) => name), more]).to.equal([['a.txt', 'b.txt'], []]);
    expect(comment!.body.match(/\/attachments\//g)).to.have.length(2);
  });
});
