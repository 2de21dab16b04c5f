// A team comes together: an administrator makes an organization with three teams and invites by mail, one member registers
// from the mail and signs in with a passkey, another with codes of an app, and everybody else is kept out.
// Time: about 30 s
import { createHmac } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { linkIn, PostOffice } from '@mortise/mail/testing';
import { startServer } from '../support/server.mjs';
import { launchChromium } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const secret = 'Tr1cky-passw0rd!';
const teamForm = 'form[action$="/teams/new"]';
const loginForm = 'main form[action$="/user/login"]';

/** RFC 6238 with what every app does. */
function codeOf(base32, at = Date.now()) {
  const bits = [...base32]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const from = mac.at(-1) & 15;
  return String((mac.readUInt32BE(from) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe('the story of a team', { timeout: 600_000, skip }, () => {
  let office;
  let server;
  let base;
  let browser;
  const walks = {};
  let token;
  let invitation;

  before(async () => {
    office = await PostOffice.start();
    server = await startServer({ start: false });
    // browsers know no passkeys on an address of numbers
    base = server.base.replace('127.0.0.1', 'localhost');
    server.env.MORTISE__server__ROOT_URL = base;
    for (const [name, value] of Object.entries(office.settings)) server.env[`MORTISE__mailer__${name}`] = String(value);
    await server.start();
    await server.api('POST', '/admin/users', {
      body: { username: 'mallory', email: 'mallory@example.com', password: secret, must_change_password: false },
    });
    browser = await launchChromium();
    for (const name of ['root', 'pat', 'rae', 'mallory']) {
      const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
      walks[name] = new Walk(page, base);
    }
    const devices = await walks.pat.page.context().newCDPSession(walks.pat.page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await office?.close();
  });
  afterEach(() => Object.values(walks).forEach((walk) => walk.settle()));

  const signIn = async (walk, name, password) => {
    await walk.open('/user/login');
    await walk.send(loginForm, { user_name: name, password });
  };
  async function mailTo(address) {
    for (let tries = 0; tries < 600; tries++) {
      if (office.mails.some(({ to }) => to.includes(address))) return office.mailTo(address);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return office.mailTo(address);
  }
  /** From the link in the mail to the page of the team. */
  async function join(walk, name, team) {
    const link = linkIn(await mailTo(`${name}@home.example`), '/org/invite/');
    invitation = link;
    await walk.open(link);
    expect(walk.path).to.match(/^\/user\/login/);
    await walk.follow('main a[href*="/user/sign_up"]');
    await walk.send('form[action$="/user/sign_up"]', {
      user_name: name,
      email: `${name}@home.example`,
      password: secret,
      retype: secret,
    });
    expect(walk.path).to.equal(link);
    await walk.shows(team);
    await walk.follow('form[action*="/org/invite/"] button[type=submit]');
    expect(walk.path).to.equal(`/org/works/teams/${team}`);
    await walk.shows(name);
  }

  it('an administrator makes an organization with a repository, and teams for it', async () => {
    const { root } = walks;
    await signIn(root, 'root', 'password');
    await root.open('/org/create');
    await root.send('form[action$="/org/create"]', { org_name: 'works', visibility: 'private' });
    await root.open('/org/works/teams/new');
    const everywhere = { repo_access: 'all' };
    await root.send(teamForm, {
      team_name: 'writers',
      ...everywhere,
      unit_code: 'write',
      unit_releases: 'write',
      unit_wiki: 'write',
    });
    await root.open('/org/works/teams/new');
    const units = await root.page
      .locator(`${teamForm} [name^="unit_"]`)
      .evaluateAll((fields) => [...new Set(fields.map((field) => field.name))]);
    const none = Object.fromEntries(units.map((name) => [name, 'none']));
    await root.send(teamForm, { team_name: 'readers', ...everywhere, ...none, unit_wiki: 'read' });
    await root.open('/org/works/teams');
    for (const name of ['Owners', 'writers', 'readers']) await root.shows(name);
    await root.open('/repo/create?org=works');
    await root.send('form[action$="/repo/create"]', { repo_name: 'engine', auto_init: true, private: true });
    expect(root.path).to.equal('/works/engine');
    const page = { title: 'Home', content_base64: Buffer.from('How it runs').toString('base64') };
    const made = await server.api('POST', '/repos/works/engine/wiki/new', { body: page });
    expect(made.status).to.equal(201);
  });

  it('invites two people by mail', async () => {
    const { root } = walks;
    for (const [team, name] of [
      ['writers', 'pat'],
      ['readers', 'rae'],
    ]) {
      await root.open(`/org/works/teams/${team}`);
      await root.send('form[action$="/action/add"]', { uname: `${name}@home.example` });
      await root.shows(`${name}@home.example`);
    }
  });

  it('one registers from the mail, gets a passkey, and works with it', async () => {
    const { pat } = walks;
    await join(pat, 'pat', 'writers');
    await pat.open('/user/settings/security');
    await pat.page.fill('#field-key-name', 'Laptop');
    await pat.page.fill('#field-key-password', secret);
    await pat.follow('button[data-kind=passkey]');
    await pat.shows('Recovery codes');
    await pat.page.context().clearCookies();
    await pat.open('/user/login?redirect_to=%2Fworks%2Fengine');
    await pat.follow('a[href*="/user/login/passkey"]');
    await pat.follow('button[data-options]');
    expect(pat.path).to.equal('/works/engine');
    await pat.shows('README.md');
    await pat.open('/org/works/settings', 403);
    await pat.open('/user/settings/applications');
    await pat.send('form:has([name=scope_repository])', { name: 'work', scope_repository: 'write' });
    token = await pat.page.locator('.flash-success input').inputValue();
    // the password alone opens nothing, the token does what it says
    expect((await server.api('GET', '/user', { as: `pat:${secret}` })).status).to.equal(401);
    const file = { content: Buffer.from('steam').toString('base64'), message: 'Add steam' };
    expect(
      (await server.api('POST', '/repos/works/engine/contents/steam.txt', { as: token, body: file })).status,
    ).to.equal(201);
    const cloned = await server.git(['clone', '-q', `${server.base}/works/engine.git`, 'of-pat'], {
      as: `pat:${token}`,
    });
    expect(cloned.code, cloned.err).to.equal(0);
  });

  it('another registers, sets up an app, and sees the one part that the team has', async () => {
    const { rae } = walks;
    await join(rae, 'rae', 'readers');
    await rae.open('/user/settings/security/two_factor/enroll');
    const shared = (await rae.text('#totp-secret')).replace(/\s/g, '');
    await rae.send('form[action$="/two_factor/enroll"]', {
      passcode: codeOf(shared),
      password: secret,
    });
    await rae.page.context().clearCookies();
    await signIn(rae, 'rae', secret);
    expect(rae.path).to.match(/^\/user\/two_factor/);
    await rae.send('main form', { passcode: '000000' });
    expect(rae.path).to.match(/^\/user\/two_factor/);
    // each code is good once, and that of the next half minute is good already
    await rae.send('main form', { passcode: codeOf(shared, Date.now() + 30_000) });
    expect(rae.path).to.equal('/');
    await rae.open('/works/engine/wiki');
    await rae.shows('How it runs');
    await rae.open('/works/engine/src/branch/main/README.md', 403);
    await rae.open('/works/engine/_new/main/', 403);
    expect((await server.api('GET', '/repos/works/engine', { as: `rae:${secret}` })).status).to.equal(401);
    const cloned = await server.git(['clone', '-q', `${server.base}/works/engine.git`, 'of-rae'], {
      as: `rae:${secret}`,
    });
    expect(cloned.code).not.to.equal(0);
  });

  it('everybody else is kept out: of pages, API and git', async () => {
    const { mallory } = walks;
    await signIn(mallory, 'mallory', secret);
    for (const path of [
      '/works',
      '/works/engine',
      '/works/engine/wiki',
      '/works/engine/src/branch/main/steam.txt',
      '/works/engine/raw/branch/main/steam.txt',
      '/org/works/members',
      '/org/works/teams',
      '/org/works/teams/writers',
      '/org/works/settings',
      invitation,
    ])
      expect([path, (await mallory.page.goto(base + path)).status()]).to.equal([path, 404]);
    for (const path of ['/explore/organizations', '/explore/repos', '/pat', '/rae']) {
      await mallory.open(path);
      await mallory.hides('works');
    }
    for (const as of [`mallory:${secret}`, null]) {
      for (const path of [
        '/orgs/works',
        '/orgs/works/members',
        '/orgs/works/repos',
        '/repos/works/engine',
        '/repos/works/engine/contents/steam.txt',
        '/repos/works/engine/collaborators',
        '/users/works',
      ]) {
        const { status } = await server.api('GET', path, { as });
        expect([path, [404, 401].includes(status)]).to.equal([path, true]);
      }
      for (const path of ['/repos/search?q=engine', '/orgs', '/users/search?q=works', '/users/pat/orgs'])
        expect((await server.api('GET', path, { as })).text, path)
          .not.to.include('works/engine')
          .and.not.to.include('"works"');
      const cloned = await server.git(['clone', '-q', `${server.base}/works/engine.git`, `stolen-${as ? 1 : 2}`], {
        as,
      });
      expect(cloned.code).not.to.equal(0);
    }
    const file = { content: '', message: 'Take over' };
    const written = await server.api('POST', '/repos/works/engine/contents/mine.txt', {
      as: `mallory:${secret}`,
      body: file,
    });
    expect(written.status).to.equal(404);
  });
});
