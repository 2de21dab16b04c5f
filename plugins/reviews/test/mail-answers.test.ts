import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ImapServer, PostOffice, until } from '@mortise/mail/testing';
import { api, done, makeWorld, open, poem, send, type CommentJson, type ReviewJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

describe('issue 29: comments on lines answered by mail', { skip: !ImapServer.isInstalled, timeout: 120_000 }, () => {
  let world: World;
  let office: PostOffice;
  let imap: ImapServer;
  before(async () => {
    [office, imap] = [await PostOffice.start(), await ImapServer.start()];
    world = await makeWorld(['notifications', 'mail', 'stars'], {
      mailer: office.settings,
      'email.incoming': imap.settings,
      service: { ENABLE_NOTIFY_MAIL: true },
    });
    await done(world.ben, 'PUT', `${api}/subscription`);
  });
  after(async () => {
    await world?.host.close();
    await office?.close();
    await imap?.close();
  });
  afterEach(() => imap.empty());

  let count = 0;
  const answer = async (to: string, content: string, type = 'text/plain') => {
    await imap.deliver(
      `From: ada@example.com\nTo: ${to}\nSubject: Re: poem\nMessage-ID: <${++count}@example.com>\nContent-Type: ${type}\n\n${content}\n`,
    );
    await until(async () => (await imap.mails()).every(({ isSeen }) => isSeen));
    await world.host.settle();
  };
  /** A comment of ben's on a line that cas answered, and where ada, who opened it, answers to that. */
  const told = async (text: string) => {
    const { ben, cas, host } = world;
    const { at, number } = await open(world, { 'poem.txt': poem(text) });
    const { id } = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, {
      event: 'COMMENT',
      comments: [{ path: 'poem.txt', body: 'why?', new_position: 1 }],
    });
    const comments = () => done<CommentJson[]>(ben, 'GET', `${at}/reviews/${id}/comments`);
    const [first] = await comments();
    office.mails.length = 0;
    const reply = await done<CommentJson>(cas, 'POST', `${at}/comments/${first!.id}/replies`, { body: 'it rhymes' });
    await host.settle();
    return { number, first: first!, reply, comments, to: office.mailTo('ada@example.com').headers['reply-to']! };
  };

  it('in their conversation', async () => {
    const { number, comments, reply, to } = await told('answered');
    expect(to).to.match(new RegExp(`^incoming\\+review-${reply.id.toString(36)}-`));
    await answer(to, 'It does.\n\nOn Monday, cas wrote:\n> it rhymes');
    expect((await comments()).map(({ body }) => body)).to.equal(['why?', 'it rhymes', 'It does.']);
    expect(await done<unknown[]>(world.ada, 'GET', `${api}/issues/${number}/comments`)).to.equal([]);
    expect(office.mailTo('ben@example.com').text).to.include('It does.');
  });

  it('with links to the files that came along', async () => {
    const { comments, to } = await told('with files');
    await answer(
      to,
      '--b\nContent-Type: text/plain\n\nLook.\n--b\nContent-Type: image/png; name=rose.png\nContent-Disposition: attachment; filename=rose.png\nContent-Transfer-Encoding: base64\n\nYQ==\n--b--',
      'multipart/mixed; boundary=b',
    );
    const [, , made] = await comments();
    expect(made!.body).to.match(/^Look\.\n\n!\[rose\.png\]\(\/attachments\/[\w-]+\)$/);
    const file = /\((.*)\)/.exec(made!.body)![1]!;
    expect((await world.ada.inject(file)).statusCode).to.equal(200);
  });

  it('not by who may not write there any more, nor to a comment that is gone', async () => {
    const { ada, cas } = world;
    const { number, comments, reply, to } = await told('locked');
    await done(ada, 'PUT', `${api}/issues/${number}/lock`, { lock_reason: 'spam' });
    const mine = office.mailTo('ben@example.com').headers['reply-to']!;
    await done(ada, 'DELETE', `${api}/collaborators/ben`);
    office.mails.length = 0;
    await answer(mine, 'No.');
    expect(office.mailTo('ben@example.com').text).to.include('This conversation is locked.');
    expect((await send(cas, 'DELETE', `${api}/issues/comments/${reply.id}`)).status).to.equal(204);
    await answer(to, 'It does.');
    expect(office.mailTo('ada@example.com').text).to.include('The comment does not exist any more');
    expect((await comments()).length).to.equal(1);
  });
});
