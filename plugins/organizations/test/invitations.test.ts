import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { linkIn, PostOffice } from '@mortise/mail/testing';
import { send } from '@mortise/repositories/testing';
import { look, makeOrganization, makeTeam, marked, startPages, statusOf, submit, type PageScene } from './page-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const base = '/org/works/teams/crew';

describe('invitations to teams', () => {
  let office: PostOffice;
  let scene: PageScene;
  const invite = async (uname: string, team = base) => {
    const to = await submit(scene.ada, `${team}/action/add`, { uname });
    await scene.host.settle();
    return to;
  };
  const revoke = async (email: string, team = base) => {
    const row = RegExp(`${email}.*?name="iid" value="(\\d+)"`, 's').exec(await look(scene.ada, team));
    return submit(scene.ada, `${team}/action/remove_invite`, { iid: row![1]! });
  };
  const members = async (team: string) => {
    const teams = (await send(scene.ada, 'GET', '/orgs/works/teams')).json as { id: number; name: string }[];
    const { id } = teams.find(({ name }) => name === team)!;
    return ((await send(scene.ada, 'GET', `/teams/${id}/members`)).json as { login: string }[]).map((one) => one.login);
  };

  before(async () => {
    office = await PostOffice.start();
    scene = await startPages(['mail'], { mailer: office.settings });
    await makeOrganization(scene, 'works', { visibility: 'private', full_name: 'The Works' });
  });
  after(async () => {
    await scene?.host.close();
    await office?.close();
  });

  it('are sent to addresses, with a link that makes a member of who accepts', async () => {
    expect(await look(scene.ada, base)).to.include('Username or email address');
    expect(await invite('cat@home.example')).to.equal(`${base}?saved=1`);
    const mail = office.mailTo('cat@home.example');
    expect(mail.subject).to.equal('ada invited you to The Works');
    const link = linkIn(mail, '/org/invite/');
    expect(await look(scene.ada, base)).to.include('cat@home.example');
    expect(await look(scene.ben, base)).not.to.include('cat@home.example');
    expect(await statusOf(scene.cat, '/works')).to.equal(404);
    const page = await scene.cat.inject(link);
    // the address is the secret: other sites are not told of it
    expect([page.statusCode, page.headers['referrer-policy']]).to.equal([200, 'same-origin']);
    expect(page.payload).to.include('ada invited you to join the team crew of works.');
    expect(await statusOf(scene.host, link)).to.be.above(300);
    expect(await members('crew')).not.to.include('cat');
    expect(await submit(scene.cat, link)).to.equal(base);
    expect(await members('crew')).to.include('cat');
    // it is worth nothing to the next one
    expect(await statusOf(scene.root, link)).to.equal(404);
    expect(await submit(scene.root, link)).to.match(/^404/);
    expect(await look(scene.ada, base)).not.to.include('cat@home.example');
  });

  it('do not tell which addresses belong to accounts', async () => {
    expect(await invite('ben@example.com')).to.equal(`${base}?saved=1`);
    expect(office.mailTo('ben@example.com').subject).to.equal('ada invited you to The Works');
  });

  it('are refused at the field: no address, one that was invited, too many', async () => {
    for (const uname of ['no@address@example.com', 'a b@example.com', 'Ben@Example.com'])
      expect(marked(await invite(uname)), uname).to.equal(['uname']);
    await makeTeam(scene, 'works', 'others');
    await makeTeam(scene, 'works', 'third');
    const to = (team: string) => invite('often@example.com', `/org/works/teams/${team}`);
    expect(await to('crew')).to.equal(`${base}?saved=1`);
    expect(await to('others')).to.include('saved');
    expect(await to('third')).to.include('saved');
    await revoke('often@example.com');
    expect(await to('crew')).to.include('Too many invitations');
    expect(await submit(scene.ben, `${base}/action/add`, { uname: 'dan@example.com' })).to.match(/^403/);
  });

  it('end when they are revoked, when they are too old, and with the rights of who invited', async () => {
    const invited = async (email: string) => {
      await invite(email);
      return linkIn(office.mailTo(email), '/org/invite/');
    };
    const revoked = await invited('eve@example.com');
    expect(await statusOf(scene.root, revoked)).to.equal(200);
    expect(await submit(scene.ben, `${base}/action/remove_invite`, { iid: '1' })).to.match(/^403/);
    expect(await revoke('eve@example.com')).to.equal(`${base}?saved=1`);
    expect(await statusOf(scene.root, revoked)).to.equal(404);
    const old = await invited('old@example.com');
    const now = Date.now;
    try {
      const later = now() + 8 * 86_400_000;
      Date.now = () => later;
      expect(await statusOf(scene.root, old)).to.equal(404);
    } finally {
      Date.now = now;
    }
    const left = await invited('left@example.com');
    const owners = '/org/works/teams/owners';
    expect(await submit(scene.ada, `${owners}/action/add`, { uname: 'ben' })).to.include('saved');
    expect(await submit(scene.ben, `${owners}/action/remove`, { uid: String(scene.ada.account.id) })).to.include(
      'saved',
    );
    expect(await statusOf(scene.root, left)).to.equal(404);
  });
});

describe('without mail', () => {
  it('without mail nobody can be invited to a team', async () => {
    const scene = await startPages();
    try {
      await makeOrganization(scene, 'works');
      const page = await look(scene.ada, base);
      expect(page).not.to.include('Username or email address');
      expect(marked(await submit(scene.ada, `${base}/action/add`, { uname: 'cat@home.example' }))).to.equal(['uname']);
      expect(await statusOf(scene.ada, '/org/invite/anything')).to.equal(404);
    } finally {
      await scene.host.close();
    }
  });
});
