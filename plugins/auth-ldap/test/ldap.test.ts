import { createServer } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { scheduledTasks } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  accounts as accountsRef,
  loginSources as loginSourcesRef,
  memberships,
  publicKeys,
  type LoginSource,
} from '@mortise/accounts/api';
import { createAccount, signUp } from '@mortise/accounts/testing';
import { organizations, teams } from '@mortise/organizations/api';
import { hasSlapd, searcher, Slapd, suffix } from './slapd.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const keys = [
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIhdODPh1ROOEeQDGaMSP8EBVUNJKXVOz2NmKSUQNHLG one',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5KYPFGFpRRTfIvHjlkQ8zaV22R9NAOSoDWOwLUiEOa two',
] as const;

describe('LDAP directories', { skip: !hasSlapd, timeout: 120_000 }, () => {
  let slapd: Slapd;
  let host: TestHost;
  let viaBindDn: LoginSource;
  let simple: LoginSource;
  const accounts = () => host.services.get(accountsRef);
  const sources = () => host.services.get(loginSourcesRef);
  const signIn = (name: string, password = 'there') => accounts().checkPassword(name, password);
  const settings = (more: Record<string, unknown> = {}) => ({
    host: '127.0.0.1',
    port: slapd.port,
    bindDn: searcher.dn,
    bindPassword: searcher.password,
    userBase: `ou=people,${suffix}`,
    userFilter: '(&(objectClass=inetOrgPerson)(!(description=disabled))(uid=%s))',
    firstNameAttribute: 'givenName',
    surnameAttribute: 'sn',
    ...more,
  });
  const set = (more: Record<string, unknown> = {}) => sources().update(viaBindDn.id, { settings: settings(more) });
  /** Starts over with the other source. */
  const only = async (source: LoginSource) => {
    for (const { id } of [viaBindDn, simple]) await sources().update(id, { isActive: id === source.id });
  };

  before(async () => {
    slapd = await Slapd.start();
    host = await startHost({ plugins: ['auth-ldap', 'organizations', 'admin'] });
    await createAccount(host, 'root', { isAdmin: true });
    viaBindDn = await sources().create({ kind: 'ldap', name: 'Directory', settings: settings() });
    simple = await sources().create({
      kind: 'ldap-simple',
      name: 'Simple',
      isActive: false,
      settings: {
        host: '127.0.0.1',
        port: slapd.port,
        userDn: `uid=%s,ou=people,${suffix}`,
        userFilter: '(&(objectClass=inetOrgPerson)(uid=%s))',
      },
    });
    for (const uid of ['ada', 'ben', 'cora']) slapd.person(uid, { givenName: 'First' });
    slapd.person('gone', { description: 'disabled' });
  });
  after(async () => {
    await host?.close();
    slapd?.stop();
  });

  it('let people in with the password that they have there', async () => {
    expect(await signIn('ada')).to.include({ name: 'ada', fullName: 'First Person', email: 'ada@example.com' });
    expect(await signIn('ADA')).to.include({ name: 'ada', loginName: 'ada' });
    expect(await signIn('ada', 'wrong')).to.be.undefined();
    expect(await signIn('nobody')).to.be.undefined();
    await set({ userFilter: '(|(uid=%[1]s)(mail=%[1]s))', attributesInBind: true });
    expect(await signIn('ben@example.com')).to.include({ name: 'ben', loginName: 'ben', fullName: 'First Person' });
    await set();
  });

  it('LDAP injection: a name that is a filter finds nobody', async () => {
    for (const name of ['*', 'ad*', 'ada)(uid=*', '*)(|(uid=*', 'ada\u0000', '\\2a', 'x)(|(objectClass=*)'])
      expect([name, await signIn(name)]).to.equal([name, undefined]);
  });

  it('empty password bind: nobody gets in without a password', async () => {
    for (const source of [viaBindDn, simple]) {
      await only(source);
      expect([source.name, await signIn('ada', '')]).to.equal([source.name, undefined]);
      expect(await signIn('cora', '')).to.be.undefined();
    }
    await only(viaBindDn);
    const without = { kind: 'ldap', name: 'x', settings: settings({ bindPassword: '' }) };
    await expect(sources().create(without)).to.reject(/bindPassword/);
  });

  it('takeover by an equal name or address: no account of somebody else is handed out', async () => {
    await createAccount(host, 'dora');
    slapd.person('dora');
    slapd.person('dora2', { mail: 'dora@example.com' });
    expect(await signIn('dora')).to.be.undefined();
    expect((await signIn('dora', 'long enough'))?.name).to.equal('dora');
    await expect(signIn('dora2')).to.reject(/No account could be created/);
    expect((await accounts().byName('dora'))?.sourceId).to.equal(0);
  });

  it('ambiguous and disabled entries: nobody gets in with them', async () => {
    expect(await signIn('gone')).to.be.undefined();
    await set({ userFilter: '(|(uid=%s)(sn=%s))' });
    expect(await signIn('Person')).to.be.undefined();
    await set();
  });

  it('make administrators and restricted people by filters', async () => {
    await set({ adminFilter: '(uid=ada)', restrictedFilter: '*' });
    expect(await signIn('ada')).to.include({ isAdmin: true, isRestricted: false });
    expect(await signIn('ben')).to.include({ isAdmin: false, isRestricted: true });
    await set({ adminFilter: '(uid=nobody)', restrictedFilter: '(uid=nobody)' });
    expect(await signIn('ada')).to.include({ isAdmin: false });
    expect(await signIn('ben')).to.include({ isRestricted: false });
    await set();
  });

  it('are reached with TLS and StartTLS, and not with a certificate that nobody vouches for', async () => {
    for (const [security, port] of [
      ['ldaps', slapd.tlsPort],
      ['starttls', slapd.port],
    ] as const) {
      await set({ security, port, skipTlsVerify: true });
      expect([security, (await signIn('ada'))?.name]).to.equal([security, 'ada']);
      await set({ security, port });
      await expect(signIn('ada')).to.reject(/cannot be reached/);
    }
    await set();
  });

  it('that stay silent or are gone are given up on', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    await set({ port: (silent.address() as { port: number }).port, security: 'ldaps', skipTlsVerify: true });
    const began = Date.now();
    await expect(signIn('ada')).to.reject(/cannot be reached/);
    expect(Date.now() - began).to.be.below(15_000);
    silent.close();
    await set({ port: 1 });
    await expect(signIn('ada')).to.reject(/cannot be reached/);
    await set();
  });

  it('simple auth: people are found by the pattern of their entry', async () => {
    await only(simple);
    expect(await signIn('cora')).to.include({ name: 'cora', sourceId: simple.id });
    for (const name of ['cora,ou=people', 'x+uid=cora', '*', 'cora\\'])
      expect([name, await signIn(name)]).to.equal([name, undefined]);
    const pattern = { ...simple.settings, userBase: `ou=people,${suffix}`, userFilter: '(|(mail=%s)(sn=%s))' };
    slapd.person('eve', { mail: 'victim@example.com', userPassword: 'eve' });
    slapd.person('victim@example.com', { mail: 'other@example.com', userPassword: 'other' });
    await sources().update(simple.id, { settings: pattern });
    // the entry that the filter finds is eve's, the password is not
    expect(await signIn('victim@example.com', 'other')).to.be.undefined();
    await sources().update(simple.id, { settings: simple.settings });
    for (const uid of ['eve', 'victim@example.com']) slapd.remove(slapd.dnOf(uid));
    await only(viaBindDn);
  });

  it('keep teams by groups, and the last owner', async () => {
    const root = (await accounts().byName('root'))!;
    const works = await host.services.get(organizations).create({ name: 'works' }, root);
    const crew = await host.services.get(teams).create(works, { name: 'Crew', units: { code: 'read' } });
    const isIn = async () => {
      const ada = (await accounts().byName('ada'))!;
      return [
        await host.services.get(teams).isMember(crew.id, ada.id),
        await host.services.get(memberships).isMember(ada.id, works.account.id),
      ];
    };
    const group = `cn=Devs,ou=groups,${suffix}`;
    slapd.add(`dn: ${group}\nobjectClass: groupOfNames\ncn: Devs\nmember: ${slapd.dnOf('ada')}\n`);
    const grouped = {
      groupsEnabled: true,
      groupBase: `ou=groups,${suffix}`,
      groupTeamMap: JSON.stringify({
        [group.toUpperCase().replaceAll(',', ', ')]: { Works: ['crew', 'Missing'], nowhere: ['x'] },
      }),
    };
    await set(grouped);
    await signIn('ada');
    expect(await isIn()).to.equal([true, true]);
    slapd.modify(`dn: ${group}\nchangetype: modify\nreplace: member\nmember: ${slapd.dnOf('ben')}\n`);
    await signIn('ada');
    expect(await isIn()).to.equal([true, true]);
    await set({ ...grouped, groupTeamMapRemoval: true });
    await signIn('ada');
    expect(await isIn()).to.equal([false, false]);
    // who is in no group that the filter names stays out
    await set({ ...grouped, groupFilter: '(cn=devs)' });
    expect(await signIn('ada')).to.be.undefined();
    expect((await signIn('ben'))?.name).to.equal('ben');
    const owners = (await host.services.get(teams).byName(works.account.id, 'Owners'))!;
    const ben = (await accounts().byName('ben'))!;
    await host.services.get(teams).addMember(owners, ben);
    await host.services.get(teams).removeMember(owners, root.id);
    await set({
      ...grouped,
      groupTeamMap: JSON.stringify({ 'cn=none': { works: ['Owners'] } }),
      groupTeamMapRemoval: true,
    });
    await signIn('ben');
    expect(await host.services.get(teams).isMember(owners.id, ben.id)).to.equal(true);
    await set();
  });

  it('keep SSH keys as they are there', async () => {
    slapd.modify(
      `dn: ${slapd.dnOf('ada')}\nchangetype: modify\nadd: sshPublicKey\nsshPublicKey: ${keys[0]}\nsshPublicKey: no key\n`,
    );
    const ada = (await accounts().byName('ada'))!;
    await host.services.get(publicKeys).add(ada.id, { title: 'by hand', key: keys[1] });
    await set({ sshKeyAttribute: 'sshpublickey' });
    await signIn('ada');
    const list = async () =>
      (await host.services.get(publicKeys).list({ userId: ada.id, limit: 10, offset: 0 })).items.map((key) =>
        key.content.split(' ').slice(0, 2).join(' '),
      );
    expect(await list()).to.equal([keys[0].replace(' one', '')]);
    slapd.modify(`dn: ${slapd.dnOf('ada')}\nchangetype: modify\ndelete: sshPublicKey\n`);
    await signIn('ada');
    expect(await list()).to.equal([]);
    await set();
  });

  it('are synchronized: new, changed, gone and back', async () => {
    const sync = async () => {
      await host.services.get(scheduledTasks).run('sync_external_users');
      await host.settle();
    };
    slapd.person('nora');
    for (let at = 0; at < 7; at++) slapd.person(`many${at}`);
    await sources().update(viaBindDn.id, { isSyncEnabled: true, settings: settings({ pageSize: 3 }) });
    await sync();
    expect(await accounts().byName('nora')).to.include({ sourceId: viaBindDn.id, isActive: true });
    expect(await accounts().byName('many6')).to.exist();
    expect((await accounts().byName('dora'))?.sourceId).to.equal(0);
    const mail = (address: string) =>
      `dn: ${slapd.dnOf('nora')}\nchangetype: modify\nreplace: mail\nmail: ${address}\n`;
    slapd.modify(mail('nora.new@example.com'));
    slapd.remove(slapd.dnOf('many6'));
    await sync();
    expect((await accounts().byName('nora'))?.email).to.equal('nora.new@example.com');
    expect((await accounts().byName('many6'))?.isActive).to.equal(false);
    slapd.modify(mail('root@example.com'));
    slapd.person('many6');
    await sync();
    // the address of another stays theirs
    expect((await accounts().byName('nora'))?.email).to.equal('nora.new@example.com');
    expect((await accounts().byName('many6'))?.isActive).to.equal(true);
    // a filter that finds nobody is a mistake, unless it is said not to be
    const nobody = { userFilter: '(&(uid=%s)(cn=nobody at all))' };
    await set(nobody);
    await sync();
    expect((await accounts().byName('nora'))?.isActive).to.equal(true);
    await set({ ...nobody, allowDeactivateAll: true });
    await sync();
    expect((await accounts().byName('nora'))?.isActive).to.equal(false);
    expect((await accounts().byName('root'))?.isActive).to.equal(true);
    await set();
    await sync();
    expect((await accounts().byName('nora'))?.isActive).to.equal(true);
  });

  it('are set on a page that tells what is wrong, and tried', async () => {
    const admin = await signUp(host, 'boss', { isAdmin: true });
    for (const [type, fields, wrong] of [
      [
        'ldap',
        { 'settings.userFilter': '(uid=ada)', 'settings.groupTeamMap': '[1]' },
        ['User filter is invalid.', 'Map LDAP groups to organization teams is invalid.', 'Host is required.'],
      ],
      ['ldap-simple', { 'settings.userDn': 'uid=ada' }, ['User DN is invalid.']],
    ] as const) {
      const url = `/-/admin/auths/new?type=${type}`;
      expect((await admin.inject(url)).statusCode).to.equal(200);
      const refused = await submitForm(admin, url, { name: 'New', ...fields });
      expect(refused.statusCode).to.equal(422);
      for (const sentence of wrong) expect(refused.payload).to.include(sentence);
    }
    const url = `/-/admin/auths/${viaBindDn.id}`;
    const page = (await admin.inject(url)).payload;
    expect(page).to.include(searcher.dn).and.not.to.include('searches');
    expect((await submitForm(admin, `${url}/test`, {})).payload).to.include('The connection works.');
    await set({ bindPassword: 'wrong' });
    const failed = await submitForm(admin, `${url}/test`, {});
    expect(failed.payload).to.include('The connection failed').and.not.to.include('wrong');
    await set();
  });

  it('are added and changed by commands', async () => {
    const common = { userSearchBase: `ou=people,${suffix}`, userFilter: '(uid=%s)', host: '127.0.0.1' };
    const bind = { bindDn: searcher.dn, bindPassword: '-', securityProtocol: 'StartTLS', notActive: true };
    await host.command('admin auth add-ldap', { name: 'By command', ...common, ...bind }, { input: 'piped\n' });
    const made = (await sources().list()).find(({ name }) => name === 'By command')!;
    expect(made).to.include({ isActive: false, isSyncEnabled: false });
    expect(made.settings).to.include({ bindPassword: 'piped', security: 'starttls', port: 389 });
    const id = String(made.id);
    await host.command('admin auth update-ldap', { id, port: '1389', synchronizeUsers: true });
    const changed = (await sources().byId(made.id))!;
    expect(changed.settings).to.include({ bindPassword: 'piped', port: 1389, userFilter: '(uid=%s)' });
    expect(changed.isSyncEnabled).to.equal(true);
    await expect(host.command('admin auth update-ldap-simple', { id, port: '1' })).to.reject(/does not exist/);
    await expect(host.command('admin auth add-ldap-simple', { name: 'x', host: 'h' })).to.reject(/userDn/);
    await host.command('admin auth add-ldap-simple', { name: 'S', ...common, userDn: 'uid=%s,dc=x', active: true });
    await host.command('admin auth delete', { id });
  });
});
