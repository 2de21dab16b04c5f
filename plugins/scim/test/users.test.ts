/** SCIM users: accounts that an identity provider creates, changes and deactivates (RFC 7643, 4.1; RFC 7644, 3). */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { BaseModel, database } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { ScimClient, userSchema } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

class EmailRow extends BaseModel {
  static override tableName = 'user';
  declare id: number;
  declare email: string;
}

describe('issue 30: users of SCIM', () => {
  let host: TestHost;
  let scim: ScimClient;
  before(async () => {
    host = await startHost({ plugins: ['scim', 'auth-token', 'sessions'] });
    await createAccount(host, 'root', { isAdmin: true });
    scim = await ScimClient.make(host, 'main');
  });
  after(() => host.close());

  const all = () => host.services.get(accounts);
  const accountOf = async (name: string) => (await all().byName(name))!;
  const errorOf = ({ statusCode, json }: { statusCode: number; json: { scimType?: string } }) => [
    statusCode,
    json.scimType,
  ];

  it('are nobody’s without a token, and the token opens nothing else', async () => {
    for (const authorization of ['', 'Bearer scim_00', 'Basic cm9vdDpwYXNzd29yZA==']) {
      const refused = await scim.send('GET', '/Users', undefined, { authorization });
      expect([refused.statusCode, refused.headers['content-type'], refused.headers['www-authenticate']]).to.equal([
        401,
        'application/scim+json',
        'Bearer',
      ]);
    }
    const asRoot = await host.as(await accountOf('root')).inject('/scim/v2/Users');
    expect(asRoot.statusCode).to.equal(401);
    const elsewhere = await host.inject({
      url: '/api/v1/user',
      headers: { authorization: `Bearer ${scim.secret}` },
    });
    expect(elsewhere.statusCode).to.equal(401);
  });

  it('are created as accounts, and found, with an entity tag', async () => {
    const made = await scim.createUser('Ada@Example.com', {
      externalId: '00u1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
      active: true,
      phoneNumbers: [{ value: '1' }],
    });
    expect([made.statusCode, made.headers['content-type']]).to.equal([201, 'application/scim+json']);
    expect(made.headers.location).to.equal(made.json.meta.location);
    expect(made.json).to.include({
      schemas: [userSchema],
      userName: 'Ada@Example.com',
      externalId: '00u1',
      active: true,
    });
    const ada = await accountOf('ada');
    expect([ada.fullName, ada.email, ada.hasPassword, ada.isActive]).to.equal([
      'Ada Lovelace',
      'ada@example.com',
      false,
      true,
    ]);
    const read = await scim.get(`/Users/${ada.id}`);
    expect([read.json, read.headers.etag]).to.equal([made.json, made.json.meta.version]);
    const again = await scim.send('GET', `/Users/${ada.id}`, undefined, { 'if-none-match': made.json.meta.version });
    expect(again.statusCode).to.equal(304);
    const named = await scim.get(`/Users/${ada.id}?attributes=userName,emails.value`);
    expect(Object.keys(named.json).toSorted()).to.equal(['emails', 'id', 'schemas', 'userName']);
    expect(named.json.emails).to.equal([{ value: 'ada@example.com' }]);
  });

  it('are refused with the type of the error where they exist, or cannot be accounts', async () => {
    expect(errorOf(await scim.createUser('ADA@example.com'))).to.equal([409, 'uniqueness']);
    expect(errorOf(await scim.createUser('ada', { emails: [{ value: 'x@example.com' }] }))).to.equal([
      409,
      'uniqueness',
    ]);
    expect(errorOf(await scim.createUser('grace', { emails: [{ value: 'ADA@example.com' }] }))).to.equal([
      409,
      'uniqueness',
    ]);
    for (const [userName, more] of [
      ['no address', {}],
      ['$$$@example.com', {}],
      ['grace', { emails: [{ value: 'nothing' }] }],
      ['grace', { emails: 'grace@example.com' }],
      ['x'.repeat(300), {}],
      ['user', { emails: [{ value: 'reserved@example.com' }] }],
      ['scim', { emails: [{ value: 'reserved@example.com' }] }],
      ['grace', { emails: [{ value: 'grace@example.com' }], displayName: 'x'.repeat(101) }],
    ] as const)
      expect(errorOf(await scim.createUser(userName, more)), userName).to.equal([400, 'invalidValue']);
  });

  it('are filtered, paged and counted', async () => {
    for (const name of ['page1', 'page2', 'page3']) await scim.createUser(`${name}@pages.example`);
    const found = async (filter: string) =>
      (await scim.find('Users', filter)).json.Resources.map(({ userName }: { userName: string }) => userName);
    expect(await found('userName eq "ADA@example.COM"')).to.equal(['Ada@Example.com']);
    expect(await found('externalId eq "00u1" and active eq true')).to.equal(['Ada@Example.com']);
    expect(await found('externalId eq "00U1"')).to.equal([]);
    expect(await found('emails.value sw "page" and not (userName co "2")')).to.equal([
      'page1@pages.example',
      'page3@pages.example',
    ]);
    expect(
      await found('emails[type eq "work" and value ew "@EXAMPLE.com"] or userName eq "page2@pages.example"'),
    ).to.contain(['page2@pages.example']);
    expect(await found(`${userSchema}:name.familyName eq "lovelace"`)).to.equal(['Ada@Example.com']);
    expect(await found('userName co "%"')).to.equal([]);
    expect(await found('not (active pr) or not (id pr)')).to.equal([]);
    const page = await scim.get('/Users?filter=userName%20co%20%22pages.%22&startIndex=2&count=1');
    expect(page.json).to.include({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(page.json.Resources[0].userName).to.equal('page2@pages.example');
    const searched = await scim.send('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'userName sw "page"',
      count: 2,
      attributes: ['id'],
    });
    expect([searched.json.totalResults, Object.keys(searched.json.Resources[0])]).to.equal([3, ['schemas', 'id']]);
    expect((await scim.get('/Users?startIndex=-5&count=-1')).json.Resources).to.equal([]);
    expect((await scim.get('/Users?count=100000')).statusCode).to.equal(200);
    for (const filter of [
      'userName',
      'userName eq',
      'userName eq 1',
      'password eq "x"',
      'constructor eq "x"',
      'userName gt "a"',
      'active eq "yes"',
      '('.repeat(400),
      Array.from({ length: 60 }, () => 'id eq "1"').join(' or '),
      'x'.repeat(2000),
    ])
      expect((await scim.find('Users', filter)).statusCode, filter.slice(0, 30)).to.equal(400);
  });

  it('are changed by PUT and PATCH, and only in the version that the client has seen', async () => {
    const { id } = await accountOf('ada');
    const seen = (await scim.get(`/Users/${id}`)).json.meta.version;
    const put = await scim.send(
      'PUT',
      `/Users/${id}`,
      { schemas: [userSchema], userName: 'countess@example.com', displayName: 'Countess', externalId: '00u1' },
      { 'if-match': seen },
    );
    expect([put.statusCode, put.json.userName, put.json.displayName, put.json.name]).to.equal([
      200,
      'countess@example.com',
      'Countess',
      undefined,
    ]);
    expect((await accountOf('countess')).email).to.equal('countess@example.com');
    expect(await all().renamedTo('ada')).to.equal('countess');
    const stale = await scim.send('DELETE', `/Users/${id}`, undefined, { 'if-match': seen });
    expect(stale.statusCode).to.equal(412);

    const patched = await scim.patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'NAME.familyName', value: 'Byron' },
      { op: 'add', value: { 'name.givenName': 'Augusta', title: 'Countess' } },
      { op: 'remove', path: 'displayName' },
      { op: 'add', path: 'emails', value: [{ value: 'augusta@example.com', type: 'home', primary: true }] },
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
    );
    expect(patched.statusCode).to.equal(200);
    expect(patched.json.name).to.equal({ givenName: 'Augusta', familyName: 'Byron' });
    const account = await accountOf('countess');
    expect([account.fullName, account.email]).to.equal(['Augusta Byron', 'augusta@example.com']);
    const byType = await scim.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'emails[type eq "home"].value',
      value: 'byron@example.com',
    });
    expect(byType.json.emails[0].value).to.equal('byron@example.com');
  });

  it('stay as they were after a PATCH that is refused', async () => {
    const { id } = await accountOf('countess');
    const before = (await scim.get(`/Users/${id}`)).json;
    for (const [operation, type] of [
      [{ op: 'remove' }, 'noTarget'],
      [{ op: 'replace', path: 'emails[value eq "nobody@example.com"]', value: {} }, 'noTarget'],
      [{ op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath'],
      [{ op: 'add', path: '__proto__.polluted', value: 'x' }, 'invalidPath'],
      [{ op: 'add', value: { name: { 'constructor.prototype.polluted': 'x' } } }, 'invalidPath'],
      [{ op: 'add', path: 'name', value: [{ 'constructor.prototype.polluted': 'x' }] }, 'invalidPath'],
      [{ op: 'replace', value: 'x' }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
      [{ op: 'remove', path: 'userName' }, 'invalidValue'],
      [{ op: 'move', path: 'userName' }, 'invalidValue'],
    ] as const) {
      const refused = await scim.patch(
        `/Users/${id}`,
        { op: 'replace', path: 'displayName', value: 'Lost' },
        operation,
      );
      expect(errorOf(refused), JSON.stringify(operation)).to.equal([400, type]);
    }
    const listed = Array.from({ length: 1001 }, (_one, at) => ({ value: `${at}@example.com` }));
    expect(errorOf(await scim.patch(`/Users/${id}`, { op: 'add', value: { emails: listed } }))).to.equal([
      400,
      'tooMany',
    ]);
    const unreadable = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq].value', value: 'x' });
    expect(unreadable.json.detail).to.equal('A path cannot be used with its operation and value.');
    expect(({} as { polluted?: string }).polluted).to.be.undefined();
    const manyOperations = Array.from({ length: 1001 }, () => ({ op: 'remove', path: 'displayName' }));
    expect((await scim.patch(`/Users/${id}`, ...manyOperations)).statusCode).to.equal(400);
    expect((await scim.get(`/Users/${id}`)).json).to.equal(before);
  });

  it('cannot sign in any more once they are inactive, and their tokens end', async () => {
    const { id } = await accountOf('page1');
    const [line = ''] = await host.command('admin user generate-access-token', { username: 'page1' });
    const authorization = `token ${line.replace('Access token: ', '')}`;
    const ask = async () => (await host.inject({ url: '/api/v1/user', headers: { authorization } })).statusCode;
    expect(await ask()).to.equal(200);
    // as Microsoft Entra ID writes it
    const off = await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect([off.json.active, await ask()]).to.equal([false, 403]);
    expect((await accountOf('page1')).prohibitLogin).to.be.true();
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect(await ask()).to.equal(200);
  });

  it('stay prohibited where it was an administrator who prohibited them', async () => {
    const { id } = await accountOf('page2');
    await all().update(id, { prohibitLogin: true });
    const on = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    expect([on.statusCode, on.json.active]).to.equal([200, false]);
  });

  it('stay prohibited where the provider had prohibited them before the administrator did', async () => {
    const { id } = (await scim.createUser('twice@example.com')).json;
    const set = (active: boolean) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active });
    await set(false);
    await all().update(Number(id), { prohibitLogin: false });
    await all().update(Number(id), { prohibitLogin: true });
    expect((await set(true)).json.active).to.be.false();
  });

  it('are deactivated and deleted whatever name and address they have already', async () => {
    const fullName = 'x'.repeat(200);
    const { id } = await createAccount(host, 'long', { fullName });
    await host.services
      .get(database)
      .write(() => host.services.get(database).query(EmailRow).findById(id).patch({ email: 'josé@example.com' }));
    const off = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect([off.statusCode, off.json.active, off.json.displayName]).to.equal([200, false, fullName]);
    const longer = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'y'.repeat(101) });
    expect(errorOf(longer)).to.equal([400, 'invalidValue']);
    expect((await scim.send('DELETE', `/Users/${id}`)).statusCode).to.equal(204);
    expect(await accountOf('long')).to.include({ fullName, email: 'josé@example.com', prohibitLogin: true });
    const other = await createAccount(host, 'untouched', { fullName });
    expect((await scim.send('DELETE', `/Users/${other.id}`)).statusCode).to.equal(204);
    expect((await accountOf('untouched')).prohibitLogin).to.be.true();
  });

  it('are taken over once by requests of one moment', async () => {
    const { id } = await createAccount(host, 'wanted');
    const changes = ['a', 'b', 'c'].map((value) =>
      scim.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value }),
    );
    expect((await Promise.all(changes)).map(({ statusCode }) => statusCode)).to.equal([200, 200, 200]);
  });

  it('have their address changed by its type, also where the provider has not told one', async () => {
    const { id } = (await scim.createUser('untyped@example.com', { emails: [{ value: 'old@example.com' }] })).json;
    const path = 'emails[type eq "work"].value';
    const changed = await scim.patch(`/Users/${id}`, { op: 'replace', path, value: 'new@example.com' });
    expect(changed.json.emails).to.equal([{ value: 'new@example.com', type: 'work' }]);
  });

  it('are deactivated and not there any more when they are deleted, and come back as the same account', async () => {
    const { id } = await accountOf('page3');
    expect((await scim.send('DELETE', `/Users/${id}`)).statusCode).to.equal(204);
    expect((await accountOf('page3')).prohibitLogin).to.be.true();
    expect((await scim.get(`/Users/${id}`)).statusCode).to.equal(404);
    expect((await scim.send('DELETE', `/Users/${id}`)).statusCode).to.equal(404);
    expect((await scim.find('Users', 'userName eq "page3@pages.example"')).json.totalResults).to.equal(0);
    const back = await scim.createUser('page3@pages.example', { externalId: 'new' });
    expect([back.statusCode, back.json.id, back.json.active]).to.equal([201, String(id), true]);
    await scim.send('DELETE', `/Users/${id}`);
    const other = await scim.createUser('page3@pages.example', { externalId: 'somebody else' });
    expect(errorOf(other)).to.equal([409, 'uniqueness']);
  });
});
