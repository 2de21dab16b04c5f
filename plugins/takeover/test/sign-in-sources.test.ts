import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, loginSources } from '@mortise/accounts/api';
import { SourceFixture } from './source.js';
import { encryptSecret } from './source-secrets.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };

const directory = {
  Host: 'ldap.example.com',
  Port: 636,
  SecurityProtocol: 1,
  SkipVerify: false,
  BindDN: 'cn=search,dc=example,dc=com',
  BindPasswordEncrypt: encryptSecret('look'),
  UserBase: 'ou=people,dc=example,dc=com',
  AttributeUsername: 'uid',
  AttributeMail: 'mail',
  AttributeSSHPublicKey: 'sshPublicKey',
  SearchPageSize: 100,
  Filter: '(&(objectClass=person)(uid=%s))',
  AdminFilter: '(memberOf=cn=admins)',
  GroupTeamMap: '',
  SkipLocalTwoFA: true,
};
const provider = {
  Provider: 'openidConnect',
  ClientID: 'mill',
  ClientSecret: 'hush',
  OpenIDConnectAutoDiscoveryURL: 'https://id.example.com/.well-known/openid-configuration',
  CustomURLMapping: null,
  Scopes: ['email', 'groups'],
};

describe('issue 28: sign-in sources of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'auth-ldap', 'auth-oauth2'] });
    source = new SourceFixture();
    const sources = [
      [2, 2, 'directory', directory],
      [3, 6, 'id', provider],
      [4, 3, 'mail', { Host: 'smtp.example.com' }],
      [5, 2, 'locked', { ...directory, BindPasswordEncrypt: 'ab'.repeat(30) }],
    ] as const;
    for (const [id, type, name, config] of sources)
      source.rows('login_source', {
        id,
        type,
        name,
        is_active: 1,
        is_sync_enabled: 0,
        cfg: JSON.stringify(config),
        ...time,
      });
    const user = { type: 0, is_active: 1, ...time };
    source.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', login_type: 2, login_source: 2, login_name: 'ada', ...user },
      { id: 8, lower_name: 'ben', name: 'ben', login_type: 6, login_source: 3, login_name: 'subject-8', ...user },
      { id: 9, lower_name: 'cas', name: 'cas', login_type: 3, login_source: 4, login_name: 'cas@example.com', ...user },
    );
    source.rows('external_login_user', {
      external_id: 'subject-7',
      user_id: 7,
      login_source_id: 3,
      name: 'Ada',
      nick_name: '',
    });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('that do not come leave accounts that can not sign in until an administrator decides, named in the report', async () => {
    source.rows('user', {
      ...{ id: 10, lower_name: 'dan', name: 'dan', type: 0, is_active: 1, ...time },
      ...{
        login_type: 3,
        login_source: 101,
        login_name: 'dan@example.com',
        passwd: 'ab'.repeat(50),
        salt: 'saltsaltsa',
      },
    });
    const lines = await take();
    expect(lines).to.include('cannot sign in until an administrator gives them another source: cas, dan');
    expect(lines).to.include('  1 skipped: sources of SMTP have no counterpart');
    const accounts = host.services.get(accountsRef);
    expect((await accounts.byId(9))?.sourceId).to.equal(4);
    expect((await accounts.byId(10))?.sourceId).to.equal(-1);
    await accounts.update(9, { password: 'long enough' });
    expect(await accounts.checkPassword('cas', 'long enough')).to.be.undefined();
    // as an administrator does
    await accounts.update(9, { sourceId: 0, loginName: '' });
    expect((await accounts.checkPassword('cas', 'long enough'))?.id).to.equal(9);
    const made = await host.services.get(loginSources).create({
      kind: 'ldap',
      name: 'new',
      settings: {
        host: 'ldap.example.com',
        security: 'ldaps',
        bindDn: '',
        userBase: 'dc=example',
        userFilter: '(uid=%s)',
        bindPassword: '',
      },
    });
    expect(made.id).to.be.above(5);
  });

  it('with the id of a source that was made here give it none of their accounts', async () => {
    const settings = {
      ...{ host: 'ldap.example.com', security: 'ldaps', bindDn: '', bindPassword: '' },
      ...{ userBase: 'dc=other', userFilter: '(uid=%s)' },
    };
    for (const name of ['first', 'directory'])
      await host.services.get(loginSources).create({ kind: 'ldap', name, settings });
    const lines = await take();
    expect(lines).to.include('cannot sign in until an administrator gives them another source: ada, cas');
    expect((await host.services.get(loginSources).byId(2))?.settings.userBase).to.equal('dc=other');
    const users = await host.database.knex()('user').orderBy('id').pluck('source_id');
    expect(users).to.equal([-1, 3, 4]);
  });

  it('come with their secrets, encrypted here, and the accounts that sign in by them', async () => {
    const lines = await take();
    expect(lines).to.include('accounts.login_sources: 4 read, 2 written, 0 unchanged, 0 removed, 2 skipped');
    const ldap = await host.services.get(loginSources).byId(2);
    expect(ldap).to.include({ kind: 'ldap', name: 'directory', isActive: true, skipsSecondFactor: true });
    expect(ldap?.settings).to.include({
      host: 'ldap.example.com',
      port: 636,
      security: 'ldaps',
      bindPassword: 'look',
      userFilter: '(&(objectClass=person)(uid=%s))',
      sshKeyAttribute: 'sshPublicKey',
      pageSize: 100,
    });
    const id = await host.services.get(loginSources).byId(3);
    expect(id?.settings).to.include({
      provider: 'openidConnect',
      clientId: 'mill',
      clientSecret: 'hush',
      scopes: 'email groups',
    });
    const stored = JSON.stringify(await host.database.knex()('login_source').select('settings'));
    expect(stored).to.not.contain('hush');
    const users = await host.database.knex()('user').orderBy('id').select('source_id', 'login_name');
    expect(users.map(Object.values)).to.equal([
      [2, 'ada'],
      [3, 'subject-8'],
      [4, 'cas@example.com'],
    ]);
    expect((await host.services.get(loginSources).accountOf(id!, 'subject-8'))?.name).to.equal('ben');
    const links = await host.database.knex()('oauth2_link').select('source_id', 'user_id', 'subject', 'name');
    expect(links.map(Object.values)).to.equal([[3, 7, 'subject-7', 'Ada']]);
    for (const line of (await take()).filter((one) => / read, /.test(one))) expect(line).to.contain(', 0 written,');
  });
});
