import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, definePlugin, Joi, scheduledTasks, type Logger } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  accounts as accountsRef,
  emails,
  defineLoginSourceKind,
  loginSourceKinds,
  loginSources as loginSourcesRef,
  type ExternalUser,
} from '../api.js';
import { syncExternalUsers, type SyncServices } from '../jobs/sync-external-users.js';
import { createAccount, password } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface BookSettings {
  readonly host: string;
  readonly secret: string;
}

/** People of the directory by what they type; the password is `there`. */
const people = new Map<string, ExternalUser>();
const provisioned: string[] = [];
let isSilent = false;

/** A directory in memory. */
const book = definePlugin({
  name: 'book',
  version: '1.0.0',
  sdk: '*',
  requires: { accounts: '*' },
  register(host) {
    host.contribute(
      loginSourceKinds,
      defineLoginSourceKind<BookSettings>({
        key: 'book',
        label: 'Book',
        schema: Joi.object<BookSettings, true>({
          host: Joi.string().required(),
          secret: Joi.string().allow('').default(''),
        }),
        secrets: ['secret'],
        async checkPassword({ settings }, name, given) {
          if (isSilent) throw new Error(`no answer from ${settings.host}`);
          return given === 'there' && settings.secret === 'key of the book' ? people.get(name) : undefined;
        },
        async provisioned(_source, account) {
          provisioned.push(account.name);
        },
        fields: () => null as never,
      }),
    );
  },
});

describe('login sources', () => {
  let host: TestHost;
  let sourceId: number;
  const accounts = () => host.services.get(accountsRef);
  const sources = () => host.services.get(loginSourcesRef);

  before(async () => {
    host = await startHost({ plugins: ['accounts', book] });
    await createAccount(host, 'root', { isAdmin: true });
    const made = await sources().create({
      kind: 'book',
      name: 'Our book',
      settings: { host: 'book.example', secret: 'key of the book' },
    });
    sourceId = made.id;
  });
  after(() => host.close());

  it('make accounts of the people that they know, once', async () => {
    people.set('ada', { loginName: 'uid=ada', name: 'Ada Lovelace', email: 'ada@book.example', fullName: 'Ada L.' });
    const first = await accounts().checkPassword('ada', 'there');
    expect(first).to.include({ name: 'Ada-Lovelace', sourceId, loginName: 'uid=ada', hasPassword: false });
    people.set('uid=ada', { ...people.get('ada')!, fullName: 'Ada Byron' });
    expect(await accounts().checkPassword('ada-lovelace', 'wrong')).to.be.undefined();
    const again = await accounts().checkPassword('ada-lovelace', 'there');
    expect(again).to.include({ id: first!.id, fullName: 'Ada Byron' });
    expect(provisioned).to.equal(['Ada-Lovelace', 'Ada-Lovelace']);
    expect(await accounts().checkPassword('nobody', 'there')).to.be.undefined();
    expect(await accounts().checkPassword('ada', '')).to.be.undefined();
  });

  it('account takeover by email or name: what others have is not handed to them', async () => {
    await createAccount(host, 'ben');
    for (const [typed, name, email] of [
      ['b1', 'ben', 'other@book.example'],
      ['b2', 'benjamin', 'ben@example.com'],
    ] as const) {
      people.set(typed, { loginName: typed, name, email });
      await expect(accounts().checkPassword(typed, 'there')).to.reject(/No account could be created/);
    }
    // a local account has its own password, whatever the directory says of the name
    people.set('ben', { loginName: 'ben', name: 'ben', email: 'ben@book.example' });
    expect(await accounts().checkPassword('ben', 'there')).to.be.undefined();
    expect((await accounts().checkPassword('ben', password))?.name).to.equal('ben');
  });

  it('S12: an address that an account only claims keeps nobody out, and goes to whom the directory knows', async () => {
    const eve = await createAccount(host, 'eve', { email: 'Cleo@book.example', isEmailClaimed: true });
    const list = (id: number) => host.services.get(emails).list(id);
    await host.services.get(emails).add(eve.id, ['eve@home.example']);
    const mallory = await createAccount(host, 'mallory', { email: 'm@home.example' });
    await host.services.get(emails).add(mallory.id, ['cleo@work.example']);
    people.set('cleo', { loginName: 'cleo', name: 'cleo', email: 'cleo@book.example' });
    const cleo = (await accounts().checkPassword('cleo', 'there'))!;
    expect((await list(cleo.id))[0]).to.include({ email: 'cleo@book.example', isConfirmed: true, isProven: true });
    expect((await accounts().byEmail('cleo@book.example'))?.id).to.equal(cleo.id);
    // another address of theirs takes its place
    expect((await list(eve.id)).map(({ email, isPrimary }) => [email, isPrimary])).to.equal([
      ['eve@home.example', true],
    ]);
    expect((await accounts().byId(eve.id))!.email).to.equal('eve@home.example');
    // one that is in use, but unconfirmed, besides the primary one
    people.set('cleo2', { loginName: 'cleo2', name: 'cleo2', email: 'cleo@work.example' });
    const second = (await accounts().checkPassword('cleo2', 'there'))!;
    expect(second.email).to.equal('cleo@work.example');
    expect((await list(mallory.id)).map(({ email }) => email)).to.equal(['m@home.example']);
    // what is proven stays, also against another proof
    people.set('cleo3', { loginName: 'cleo3', name: 'cleo3', email: 'cleo@book.example' });
    await expect(accounts().checkPassword('cleo3', 'there')).to.reject(/No account could be created/);
    for (const { id } of [eve, mallory, cleo, second]) await accounts().delete(id);
  });

  it('squatting: who is called nearly as somebody else does not get their name', async () => {
    for (const [at, name] of [
      'zoe$',
      '$zoe',
      'zo*e',
      'zoeд',
      'zoe/admin',
      `${'z'.repeat(41)}`,
      '@zoe',
      '-',
    ].entries()) {
      people.set(name, { loginName: name, name, email: `near${at}@book.example` });
      await expect(accounts().checkPassword(name, 'there')).to.reject(/No account could be created/);
    }
    for (const [name, made] of [
      ['Zoë', 'Zoe'],
      ["Zoe O'Hara", 'Zoe-OHara'],
      ['zoe._king@book.example', 'zoe-king'],
    ] as const) {
      people.set(name, { loginName: name, name, email: `${made}@book.example` });
      const account = (await accounts().checkPassword(name, 'there'))!;
      expect(account.name).to.equal(made);
      await accounts().delete(account.id);
    }
  });

  it('U14: an entry without an address signs in, with a placeholder that nobody has confirmed', async () => {
    for (const email of ['', 'none']) {
      people.set('mailless', { loginName: 'mailless', name: 'mailless', email });
      const account = (await accounts().checkPassword('mailless', 'there'))!;
      expect(account.email).to.match(/^mailless\.[\da-f]{12}@book\.invalid$/);
      expect((await accounts().byConfirmedEmails([account.email])).size).to.equal(0);
      expect((await accounts().checkPassword('mailless', 'there'))?.id).to.equal(account.id);
      await accounts().delete(account.id);
    }
  });

  it('who was renamed there to the login name of another does not become them', async () => {
    people.set('uid=ada', { loginName: 'uid=eve', name: 'eve', email: 'eve@book.example' });
    expect(await accounts().checkPassword('ada-lovelace', 'there')).to.be.undefined();
    people.set('uid=ada', { loginName: 'uid=ada', name: 'ada', email: 'ada@book.example' });
  });

  it('cannot take the last administrator away', async () => {
    const root = (await accounts().byName('root'))!;
    await accounts().update(root.id, { sourceId, loginName: 'uid=root' });
    people.set('uid=root', { loginName: 'uid=root', name: 'root', email: 'root@book.example', isAdmin: false });
    expect(await accounts().checkPassword('root', 'there')).to.include({ id: root.id, isAdmin: true });
    await accounts().update(root.id, { sourceId: 0, loginName: '' });
  });

  it('that do not answer keep local accounts in, and say so to their own', async () => {
    isSilent = true;
    try {
      expect((await accounts().checkPassword('ben', password))?.name).to.equal('ben');
      expect(await accounts().checkPassword('stranger', 'there')).to.be.undefined();
      await expect(accounts().checkPassword('ada-lovelace', 'there')).to.reject(/"Our book" cannot be reached/);
    } finally {
      isSilent = false;
    }
  });

  it('are not asked again within a minute by clients that send the password with each request', async () => {
    people.set('kim', { loginName: 'kim', name: 'kim', email: 'kim@example.com' });
    const ask = (password = 'there', isRecentEnough = true) =>
      accounts().checkPassword('kim', password, '127.0.0.1', { isRecentEnough });
    expect((await ask())?.name).to.equal('kim');
    expect((await ask())?.name).to.equal('kim');
    const count = () => provisioned.filter((name) => name === 'kim').length;
    const before = count();
    isSilent = true;
    expect((await ask())?.name).to.equal('kim');
    await expect(ask('other')).to.reject(/cannot be reached/);
    await expect(ask('there', false)).to.reject(/cannot be reached/);
    isSilent = false;
    expect(count()).to.equal(before);
    // a source that was changed is asked
    const source = (await sources().byId(sourceId))!;
    await sources().update(sourceId, { settings: { ...source.settings, host: 'other.example' } });
    await ask();
    expect(count()).to.equal(before + 1);
    const { id } = (await accounts().byName('kim'))!;
    await sources().update(sourceId, { isActive: false });
    expect(await ask()).to.be.undefined();
    await sources().update(sourceId, { isActive: true, settings: source.settings });
    await accounts().delete(id);
  });

  it('are asked each time where nothing is to be remembered', async () => {
    const settings = { security: { SUCCESSFUL_TOKENS_CACHE_SIZE: 0 } };
    const other = await startHost({ plugins: ['accounts', book], settings });
    try {
      const given = { host: 'book.example', secret: 'key of the book' };
      await other.services.get(loginSourcesRef).create({ kind: 'book', name: 'Book', settings: given });
      people.set('lea', { loginName: 'lea', name: 'lea', email: 'lea@example.com' });
      const service = other.services.get(accountsRef);
      const ask = () => service.checkPassword('lea', 'there', '127.0.0.1', { isRecentEnough: true });
      for (let time = 0; time < 2; time++) expect((await ask())?.name).to.equal('lea');
      isSilent = true;
      await expect(ask()).to.reject(/cannot be reached/);
    } finally {
      isSilent = false;
      await other.close();
    }
  });

  it('are synchronized when the settings say, and again where it was interrupted', async () => {
    const other = await startHost({
      plugins: ['accounts'],
      settings: { 'cron.sync_external_users': { SCHEDULE: '30 5 * * *' } },
    });
    const tasks = await other.services.get(scheduledTasks).list();
    expect(tasks.find(({ name }) => name === 'sync_external_users')?.schedule).to.equal('30 5 * * *');
    await other.close();
    await sources().update(sourceId, { isSyncEnabled: true });
    const services = {
      accounts: accounts(),
      loginSources: sources(),
    } as SyncServices;
    const stopped = AbortSignal.abort(new Error('the process stops'));
    const run = syncExternalUsers(services, { updatesExisting: true }, { signal: stopped, log: {} as Logger });
    // thrown: the job is given back, not done
    await expect(run).to.reject('the process stops');
    await sources().update(sourceId, { isSyncEnabled: false });
  });

  it('switched off let nobody in', async () => {
    await sources().update(sourceId, { isActive: false });
    expect(await accounts().checkPassword('ada-lovelace', 'there')).to.be.undefined();
    await sources().update(sourceId, { isActive: true });
    expect(await accounts().checkPassword('ada-lovelace', 'there')).to.exist();
  });

  it('have secrets that the database does not show, and that stay when left empty', async () => {
    const row = await host.services.get(database).knex()('login_source').first('settings');
    expect(String(row.settings)).to.contain('book.example').and.not.to.contain('key of the book');
    const changed = await sources().update(sourceId, { settings: { host: 'new.example', secret: '' } });
    expect(changed.settings).to.equal({ host: 'new.example', secret: 'key of the book' });
  });

  it('are refused with what is wrong, and not deleted while accounts need them', async () => {
    await expect(sources().create({ kind: 'none', name: 'x', settings: {} })).to.reject(/not available/);
    const wrong = await expect(sources().create({ kind: 'book', name: 'x', settings: {} })).to.reject();
    expect((wrong as unknown as { status: number }).status).to.equal(422);
    expect(Object.keys((wrong as unknown as { inputs: object }).inputs)).to.equal(['settings.host']);
    const settings = { host: 'x' };
    await expect(sources().create({ kind: 'book', name: ' ', settings })).to.reject(/1 to 100/);
    await expect(sources().create({ kind: 'book', name: 'Our book', settings })).to.reject(/already exists/);
    await expect(sources().delete(sourceId)).to.reject(/1 account belongs to it/);
    const other = await sources().create({ kind: 'book', name: 'Other', settings });
    await sources().delete(other.id);
    expect(await sources().byId(other.id)).to.be.undefined();
    await expect(sources().delete(other.id)).to.reject(/does not exist/);
  });
});
