import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { BaseModel } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, emails as emailsRef, type Accounts, type Visibility } from '@mortise/accounts/api';
import { siteNotices } from '../contract/admin.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('administration of accounts', () => {
  let host: TestHost;
  let accounts: Accounts;
  let root: TestClient;

  before(async () => {
    host = await startHost({ plugins: ['admin'] });
    accounts = host.services.get(accountsRef);
    await host.command('admin user create', {
      username: 'root',
      email: 'root@example.com',
      password: 'password',
      admin: true,
    });
    root = host.as(accounts.actorOf((await accounts.byName('root'))!, 'test'));
  });
  after(() => host.close());

  const create = (payload: object, by = root) => by.inject({ method: 'POST', url: '/api/v1/admin/users', payload });
  const ada = { username: 'ada', email: 'ada@example.com', password: 'long enough' };

  it('ADM-01, ADM-02: creates accounts', async () => {
    const made = await create({ ...ada, full_name: 'Ada', must_change_password: false });
    expect(made.statusCode).to.equal(201);
    expect(made.json).to.include({
      login: 'ada',
      email: 'ada@example.com',
      full_name: 'Ada',
      active: true,
      is_admin: false,
    });
    expect((await create(ada)).statusCode).to.equal(422);
    expect((await create({ ...ada, username: 'other' })).statusCode).to.equal(422);
    expect((await create({ ...ada, username: 'other', email: 'no address' })).statusCode).to.equal(422);
    expect((await create({ username: 'other', email: 'other@example.com' })).statusCode).to.equal(400);
    expect(
      (await create({ ...ada, username: 'other', email: 'other@example.com', password: 'short' })).statusCode,
    ).to.equal(400);
    expect((await create({ ...ada, username: 'other', email: 'other@example.com', source_id: 7 })).statusCode).to.equal(
      422,
    );
    expect((await create({ username: 'other', password: 'long enough' })).statusCode).to.equal(422);
  });

  it('ADM-12: leaves an administrator who can sign in', async () => {
    const change = async (name: string, payload: object) =>
      (await root.inject({ method: 'PATCH', url: `/api/v1/admin/users/${name}`, payload })).statusCode;
    expect(await change('root', { active: false })).to.equal(400);
    expect(await change('root', { prohibit_login: true })).to.equal(400);
    await create({ username: 'second', email: 'second@example.com', password: 'long enough' });
    expect(await change('second', { admin: true, prohibit_login: true })).to.equal(200);
    expect(await change('root', { admin: false })).to.equal(400);
    expect(await change('second', { admin: false, prohibit_login: false })).to.equal(200);
    expect((await root.inject({ method: 'DELETE', url: '/api/v1/admin/users/second' })).statusCode).to.equal(204);
  });

  it('sorts and filters by what it knows', async () => {
    const asked = (query: string) => root.inject(`/api/v1/admin/users?${query}`);
    for (const sort of ['__proto__', 'constructor', 'nothing'])
      expect((await asked(`sort=${sort}`)).statusCode).to.equal(422);
    expect((await asked('sort=name&order=sideways')).statusCode).to.equal(422);
    expect((await asked('order=sideways')).statusCode).to.equal(200);
    expect((await asked('visibility=odd')).statusCode).to.equal(422);
    expect((await asked('is_2fa_enabled=true')).json).to.equal([]);
    const logins = async (query: string) => ((await asked(query)).json as { login: string }[]).map((one) => one.login);
    const byName = await logins('');
    expect(byName).to.equal([...byName].sort());
    expect(await logins('order=desc')).to.equal(byName);
    expect(await logins('sort=name&order=desc')).to.equal([...byName].reverse());
    expect(await logins('is_admin=1'))
      .to.include('root')
      .and.not.include('ada');
    expect(await logins('q=%20ada%20')).to.equal(['ada']);
  });

  it('the operations on users are for administrators', async () => {
    const plain = host.as(accounts.actorOf((await accounts.byName('ada'))!, 'test'));
    for (const url of ['/api/v1/admin/users', '/api/v1/admin/emails', '/-/admin/users']) {
      expect([url, (await plain.inject(url)).statusCode]).to.equal([url, 403]);
    }
    expect((await create(ada, plain)).statusCode).to.equal(403);
    expect((await create(ada, host)).statusCode).to.equal(401);
  });

  it('ADM-03, ADM-07: changes accounts, leaving out what is not named', async () => {
    const patch = (payload: object) => root.inject({ method: 'PATCH', url: '/api/v1/admin/users/ada', payload });
    expect((await patch({ login_name: 'directory', location: 'here' })).json).to.include({
      login_name: 'directory',
      location: 'here',
      full_name: 'Ada',
    });
    expect((await patch({ full_name: '' })).json).to.include({
      login_name: 'directory',
      location: 'here',
      full_name: '',
    });
    expect((await patch({ email: 'new@example.com' })).json.email).to.equal('new@example.com');
    expect((await patch({ email: 'root@example.com' })).statusCode).to.equal(400);
    expect((await patch({ visibility: 'secret' })).statusCode).to.equal(422);
    expect((await patch({ website: 'nowhere' })).statusCode).to.equal(422);
  });

  it('ADM-09: administrators search users by login name and login source', async () => {
    const names = async (query: string) =>
      (await root.inject(`/api/v1/admin/users?${query}`)).json.map((user: { login: string }) => user.login);
    expect(await names('')).to.equal(['ada', 'root']);
    expect(await names('is_admin=true')).to.equal(['root']);
    expect(await names('login_name=directory&source_id=0')).to.equal(['ada']);
    expect(await names('q=new@example')).to.equal(['ada']);
    expect(await names('sort=id&order=desc')).to.equal(['ada', 'root']);
  });

  it('ADM-10: administrators rename users, and a name that is taken or reserved is 422', async () => {
    const rename = async (name: string, to?: string) =>
      (await root.inject({ method: 'POST', url: `/api/v1/admin/users/${name}/rename`, payload: { new_username: to } }))
        .statusCode;
    for (const to of ['root', 'ROOT', 'api', 'x.keys', 'a b', undefined]) expect(await rename('ada', to)).to.equal(422);
    expect(await rename('ada', 'countess')).to.equal(204);
    expect(await rename('countess', 'countess')).to.equal(204);
    expect(await rename('nobody', 'x')).to.equal(404);
    expect(await rename('countess', 'ada')).to.equal(204);
  });

  it('ADM-11: lists addresses with their accounts', async () => {
    expect((await root.inject('/api/v1/admin/emails')).json).to.have.length(2);
    const found = await root.inject('/api/v1/admin/emails/search?q=NEW@');
    expect(found.json).to.equal([
      { email: 'new@example.com', verified: true, primary: true, user_id: found.json[0].user_id, username: 'ada' },
    ]);
  });

  it('ADM-08, ADM-12, ERR-13: deletes, but neither oneself nor the last administrator, whom no change demotes', async () => {
    const remove = async (name: string) =>
      (await root.inject({ method: 'DELETE', url: `/api/v1/admin/users/${name}` })).statusCode;
    expect(await remove('root')).to.equal(422);
    expect(await remove('ada')).to.equal(204);
    expect(await remove('ada')).to.equal(404);
    expect(
      (await root.inject({ method: 'PATCH', url: '/api/v1/admin/users/root', payload: { admin: false } })).statusCode,
    ).to.equal(400);
  });

  it('mortise admin user creates users and changes passwords, also from a pipe', async () => {
    expect(
      await host.command('admin user create', { username: 'cat', email: 'cat@example.com', randomPassword: true }),
    ).to.have.length(2);
    await host.command('admin user change-password', { username: 'cat', password: 'a new password' });
    expect(await accounts.checkPassword('cat', 'a new password')).to.exist();
    for (const args of [{ passwordStdin: true }, { password: '-' }]) {
      const password = `from a pipe ${Object.keys(args)[0]}`;
      await host.command('admin user change-password', { username: 'cat', ...args }, { input: `${password}\n` });
      expect(await accounts.checkPassword('cat', password)).to.exist();
      await expect(host.command('admin user change-password', { username: 'cat', ...args })).to.reject(
        /No password was given/,
      );
    }
    await expect(
      host.command('admin user change-password', { username: 'cat', password: 'a', passwordStdin: true }),
    ).to.reject(/not both/);
    expect(await host.command('admin user list')).to.have.length(3);
    await host.command('admin user delete', { username: 'cat' });
    expect(await accounts.byName('cat')).to.be.undefined();
    await expect(host.command('admin user delete', { username: 'root' })).to.reject(/last administrator/);
  });

  it('changes, renames and finds accounts by command, as over the API', async () => {
    const edit = (args: Record<string, string>) => host.command('admin user edit', { username: 'ed', ...args });
    await host.command('admin user create', { username: 'ed', email: 'ed@example.com', randomPassword: true });
    await edit({ fullName: 'Ed', restricted: 'yes', prohibitLogin: 'no', visibility: 'limited', maxRepos: '-1' });
    expect(await accounts.byName('ed')).to.include({ fullName: 'Ed', isRestricted: true, visibility: 'limited' });
    await edit({ restricted: 'no', active: 'no' });
    expect(await accounts.byName('ed')).to.include({ fullName: 'Ed', isRestricted: false, isActive: false });
    await expect(edit({})).to.reject(/what is to be changed/);
    await expect(edit({ admin: 'perhaps' })).to.reject(/--admin takes yes or no/);
    await expect(edit({ maxRepos: 'x' })).to.reject(/--max-repos takes a whole number/);
    await expect(edit({ visibility: 'secret' })).to.reject(/Unknown visibility/);
    await expect(edit({ sourceId: '77' })).to.reject(/does not exist/);
    await expect(host.command('admin user edit', { username: 'root', admin: 'no' })).to.reject(/last administrator/);
    await host.command('admin user rename', { username: 'ed', newName: 'eddie' });
    expect(await accounts.renamedTo('ed')).to.equal('eddie');
    await expect(host.command('admin user rename', { username: 'eddie', newName: 'root' })).to.reject();
    const found = await host.command('admin user list', { query: 'eddi' });
    expect(found.slice(1).map((line) => line.split('\t')[1])).to.equal(['eddie']);
    expect(await host.command('admin user list', { sourceId: '77' })).to.have.length(1);
    expect(await host.command('admin email list', { query: 'ed@' })).to.equal([
      'Email\tAccount\tPrimary\tConfirmed',
      'ed@example.com\teddie\ttrue\ttrue',
    ]);
    await host.command('admin user delete', { username: 'eddie' });
  });

  it('runs tasks, shows notices, settings and numbers by command', async () => {
    const tasks = await host.command('admin task list');
    expect(tasks.some((line) => line.startsWith('delete_old_system_notices\t'))).to.be.true();
    expect(await host.command('admin task run', { name: 'delete_old_system_notices' })).to.equal([
      'Task delete_old_system_notices is queued.',
    ]);
    await expect(host.command('admin task run', { name: 'nothing' })).to.reject(/does not exist/);
    const notices = host.services.get(siteNotices);
    await notices.add('job', 'first\nsecond');
    await notices.add('job', 'third');
    const listed = (await host.command('admin notice list')).slice(1).map((line) => line.split('\t'));
    expect(listed.map(([, , kind, text]) => [kind, text])).to.equal([
      ['job', 'third'],
      ['job', 'first second'],
    ]);
    await expect(host.command('admin notice delete')).to.reject(/--id or --all/);
    await host.command('admin notice delete', { id: listed[0]![0]! });
    expect(await host.command('admin notice list')).to.have.length(2);
    await host.command('admin notice delete', { all: true });
    expect(await host.command('admin notice list')).to.have.length(1);
    const settings = await host.command('admin config', { query: 'secret_key' });
    expect(settings.slice(1)).to.have.length(1);
    expect(settings[1]).to.match(/^\[security\] SECRET_KEY\t\((not )?set\)\t/);
    const numbers = await host.command('admin statistics');
    expect(numbers.some((line) => /^Users\t\d+$/.test(line))).to.be.true();
    expect(numbers.some((line) => /^Disk .*free$/.test(line))).to.be.true();
  });

  it('administrators create, edit and delete users on pages', async () => {
    const form = (url: string, payload: string) =>
      root.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(
      (await form('/-/admin/users/new', 'username=dan&email=dan@example.com&password=long+enough')).statusCode,
    ).to.equal(303);
    expect(
      (await form('/-/admin/users/new', 'username=dan&email=x@example.com&password=long+enough')).statusCode,
    ).to.equal(422);
    const dan = (await accounts.byName('dan'))!;
    // narrowed by what accounts are
    const listed = async (query: string) =>
      (await root.inject(`/-/admin/users?${query}`)).payload.includes('/users/' + dan.id);
    expect([await listed('state=admin'), await listed('state=restricted'), await listed('source=0')]).to.equal([
      false,
      false,
      true,
    ]);
    expect(await listed('login_name=nobody')).to.be.false();
    expect((await root.inject('/-/admin/users?state=x')).statusCode).to.equal(422);
    // of a form that is refused nothing holds, not even the name
    const refused = await form(`/-/admin/users/${dan.id}`, 'username=renamed&email=root@example.com&active=true');
    expect(refused.statusCode).to.be.within(400, 422);
    expect((await accounts.byId(dan.id))!.name).to.equal('dan');
    expect((await root.inject('/-/admin/users?q=dan')).payload).to.contain(`/-/admin/users/${dan.id}`);
    expect(
      (await form(`/-/admin/users/${dan.id}`, 'username=daniel&email=dan@example.com&restricted=true')).statusCode,
    ).to.equal(303);
    expect(await accounts.byId(dan.id)).to.include({ name: 'daniel', isRestricted: true, isActive: false });
    expect(await listed('state=restricted&q=daniel')).to.be.true();
    await form(`/-/admin/users/${dan.id}`, 'username=daniel&email=dan@example.com&visibility=private');
    expect((await accounts.byId(dan.id))!.visibility).to.equal('private');
    expect((await form(`/-/admin/users/${dan.id}/delete`, 'typed_name=dan')).statusCode).to.equal(422);
    expect((await form(`/-/admin/users/${dan.id}/delete`, 'typed_name=daniel')).statusCode).to.equal(303);
    expect((await root.inject(`/-/admin/users/${dan.id}`)).statusCode).to.equal(404);
  });

  it('ADM-11: has a page of addresses, where administrators vouch for them', async () => {
    const eve = await accounts.create({ name: 'eve', email: 'eve@example.com', password: 'long enough' });
    const emails = host.services.get(emailsRef);
    await emails.add(eve.id, ['second@example.org'], { verified: true });
    const page = (await root.inject('/-/admin/emails?q=example.org')).payload;
    expect(page).to.include([
      'second@example.org',
      'Not confirmed',
      `/-/admin/users/${eve.id}`,
      'Confirm second@example.org',
    ]);
    expect(page).not.to.include('eve@example.com');
    const form = (user: number, email: string, by = root) =>
      by.inject({
        method: 'POST',
        url: '/-/admin/emails/confirm',
        payload: `user=${user}&email=${email}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await form(eve.id, 'second@example.org')).statusCode).to.equal(303);
    expect((await emails.list(eve.id)).every(({ isConfirmed }) => isConfirmed)).to.be.true();
    // S12: which is no proof
    expect((await emails.list(eve.id)).some(({ isProven }) => isProven)).to.be.false();
    expect((await form(eve.id, 'other@example.org')).statusCode).to.equal(404);
    expect((await root.inject('/-/admin/emails?q=nothing-of-this')).payload).to.include('No email addresses found');
    const visitor = host.as(accounts.actorOf(eve, 'test'));
    expect((await visitor.inject('/-/admin/emails')).statusCode).to.equal(403);
    expect((await form(eve.id, 'second@example.org', visitor)).statusCode).to.equal(403);
    await accounts.delete(eve.id);
  });

  it('speaks German to those who read it', async () => {
    const german = async (url: string) => (await root.inject({ url, headers: { 'accept-language': 'de' } })).payload;
    expect(await german('/-/admin/users')).to.contain(['lang="de-DE"', 'Benutzer suchen', 'Nie angemeldet']);
    expect(await german('/-/admin/users/new')).to.contain('Bei der ersten Anmeldung ein neues Passwort verlangen');
    expect(await german('/-/admin/tasks')).to.contain(['Geplante Aufgaben', 'Nächster Lauf']);
  });
});

class UserRow extends BaseModel {
  static override tableName = 'user';
  declare id: number;
  declare visibility: Visibility;
}

describe('issue 30: [service] ALLOWED_USER_VISIBILITY_MODES', () => {
  it('bounds what accounts are given, and leaves what they have', async () => {
    const service = { ALLOWED_USER_VISIBILITY_MODES: 'Private, limited, odd' };
    const host = await startHost({ plugins: ['admin'], settings: { service } });
    try {
      const accounts = host.services.get(accountsRef);
      const made = (name: string, more = {}) =>
        accounts.create({ name, email: `${name}@example.com`, password: 'password', ...more });
      const ada = await made('ada', { isAdmin: true });
      expect(ada.visibility).to.equal('private');
      expect((await made('crew', { kind: 'organization' })).visibility).to.equal('public');
      await expect(made('ben', { visibility: 'public' })).to.reject('This visibility is not allowed on this site.');
      const root = host.as(accounts.actorOf(ada, 'test'));
      const send = async (method: string, url: string, payload: object) =>
        (await root.inject({ method: method as 'GET', url: `/api/v1/admin/users${url}`, payload })).statusCode;
      const cat = { username: 'cat', email: 'cat@example.com', password: 'password' };
      expect(await send('POST', '', { ...cat, visibility: 'public' })).to.equal(422);
      expect(await send('POST', '', { ...cat, visibility: 'limited' })).to.equal(201);
      expect(await send('PATCH', '/cat', { visibility: 'public' })).to.equal(422);
      const offered = async (url: string) => {
        const { payload } = await root.inject(url);
        return [...payload.matchAll(/<option[^>]* value="(public|limited|private)"/g)].map(([, value]) => value);
      };
      expect(await offered('/user/settings')).to.equal(['private', 'limited']);
      expect(await offered(`/-/admin/users/${ada.id}`)).to.equal(['private', 'limited']);
      // as it was before the setting
      await host.database.write(() =>
        host.database.query(UserRow).findById(ada.id).patch({ visibility: 'public' }).execute(),
      );
      expect(await send('PATCH', '/ada', { visibility: 'public', full_name: 'Ada' })).to.equal(200);
      expect(await offered('/user/settings')).to.equal(['private', 'limited', 'public']);
    } finally {
      await host.close();
    }
  });
});
