/** What SAML responses are refused for: each differs from one that is taken in one thing. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createAccount } from '@mortise/accounts/testing';
import { loginSources } from '@mortise/accounts/api';
import { Browser } from '@mortise/sessions/testing';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { sourceOf } from '../routes/active-sources.js';
import { SamlClient } from '../services/client.js';
import { ResponseRefused } from '../services/document.js';
import { encoded, makeKeyPair, sha1, type Said, type SamlRequest } from './idp.js';
import { Corp, isSignedIn } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 30: SAML responses that are refused', { timeout: 60_000 }, () => {
  let host: TestHost;
  let corp: Corp;
  before(async () => {
    host = await startHost({ plugins: ['auth-saml'] });
    await createAccount(host, 'root', { isAdmin: true });
    corp = new Corp(host);
    await corp.set();
    await corp.signIn({ nameId: 'ada' });
  });
  after(() => host.close());

  /** Status of the provider's POST; the right one is a redirect. */
  const statusOf = async (make: (request: SamlRequest) => string) => {
    const { request } = await corp.startSignIn();
    return (await corp.post(make(request))).statusCode;
  };
  const answered = (said: Said) => statusOf((request) => corp.idp.answer(request, said));
  const wellSigned = (request: SamlRequest, said: Said = {}) =>
    corp.idp.sign(corp.idp.assertion(request, said), 'Assertion');

  it('none of them is the one that all others differ from', async () => {
    expect(await answered({})).to.equal(303);
    expect(
      await statusOf((request) => corp.idp.sign(corp.idp.response(request, corp.idp.assertion(request)), 'Response')),
    ).to.equal(303);
  });

  it('for another site, address, issuer, way or time', async () => {
    const minute = 60_000;
    for (const [name, said] of Object.entries({
      audience: { audience: 'https://other.example' },
      recipient: { recipient: 'https://other.example/acs' },
      issuer: { issuer: 'https://other.example/idp' },
      'holder of key': { method: 'holder-of-key' },
      expired: { notOnOrAfter: -2 * minute },
      'not yet': { notBefore: 2 * minute, notOnOrAfter: 5 * minute },
      'of the future': { issued: 5 * minute },
      old: { issued: -20 * minute, notOnOrAfter: 60 * minute },
      'nobody asked': { inResponseTo: '' },
      'another request in the assertion': { confirmedRequest: `_${'0'.repeat(40)}` },
      'an id that no request has': { inResponseTo: `_${'0'.repeat(200)}` },
      'no name': { nameXml: '' },
      'a name that is too long': { nameId: 'x'.repeat(300) },
    } satisfies Record<string, Said>))
      expect(await answered(said), name).to.equal(403);
  });

  it('once they were used, in every process', async () => {
    const { browser, request } = await corp.startSignIn();
    const answer = corp.idp.answer(request);
    const first = await corp.post(answer);
    expect([first.statusCode, (await corp.post(answer)).statusCode]).to.equal([303, 403]);
    const both = await Promise.all([
      corp.post(corp.idp.answer(request, { id: '_same' })),
      corp.post(corp.idp.answer(request, { id: '_same' })),
    ]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).to.equal([303, 403]);
    const location = String(first.headers.location);
    const code = async (at: Browser) => (await at.go(location)).statusCode;
    // the code belongs to the browser that asked, and is good once
    expect(await code(new Browser(host))).to.equal(400);
    expect(await code((await corp.startSignIn()).browser)).to.equal(400);
    expect(await code(browser)).to.equal(303);
    expect(await code(browser)).to.equal(400);
    host = await host.restart();
    const later = new Corp(host);
    expect((await later.post(answer)).statusCode).to.equal(403);
    Object.assign(corp, { host });
  });

  it('without a signature, with that of another key, changed after it, and with one by SHA-1', async () => {
    const { idp } = corp;
    const other = makeKeyPair();
    for (const [name, make] of Object.entries({
      unsigned: (request: SamlRequest) => idp.response(request, idp.assertion(request)),
      'another key': (request: SamlRequest) =>
        idp.response(request, idp.sign(idp.assertion(request), 'Assertion', { key: other.key })),
      changed: (request: SamlRequest) =>
        idp.response(request, wellSigned(request, { nameId: 'ada' }).replace('>ada<', '>root<')),
      'another person in a signed response': (request: SamlRequest) =>
        idp.sign(idp.response(request, idp.assertion(request)), 'Response').replace('>ada<', '>root<'),
      'SHA-1': (request: SamlRequest) =>
        idp.response(request, idp.sign(idp.assertion(request), 'Assertion', { algorithms: sha1 })),
      'digest by SHA-1': (request: SamlRequest) =>
        idp.sign(idp.response(request, idp.assertion(request)), 'Response', {
          algorithms: { ...sha1, signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' },
        }),
      'an algorithm written by an entity': (request: SamlRequest) =>
        idp
          .response(request, idp.sign(idp.assertion(request), 'Assertion', { algorithms: sha1 }))
          .replaceAll('xmldsig#rsa-sha1', 'xmldsig#rsa-sha&#49;'),
    }))
      expect(await statusOf(make), name).to.equal(403);
    await corp.set({ wantsSignedResponse: true });
    expect(await answered({})).to.equal(403);
    await corp.set();
  });

  it('with a second assertion, or a signature wrapped around another person', async () => {
    const { idp } = corp;
    const evil = (request: SamlRequest, said: Said = {}) => idp.assertion(request, { nameId: 'root', ...said });
    for (const [name, make] of Object.entries({
      'unsigned before': (request: SamlRequest) => idp.response(request, evil(request) + wellSigned(request)),
      'unsigned behind': (request: SamlRequest) => idp.response(request, wellSigned(request) + evil(request)),
      'the signed one inside of another': (request: SamlRequest) =>
        idp.response(request, evil(request).replace('</saml:Issuer>', `</saml:Issuer>${wellSigned(request)}`)),
      'the signed one in its signature': (request: SamlRequest) => {
        const signed = wellSigned(request);
        const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(signed)![0];
        const original = signed.replace(signature, '');
        const wrapped = signature.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`);
        return idp.response(request, evil(request).replace('</saml:Issuer>', `</saml:Issuer>${wrapped}`));
      },
      'the same id twice': (request: SamlRequest) => {
        const signed = wellSigned(request, { id: '_one' });
        const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(signed)![0];
        const copy = evil(request, { id: '_one' }).replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
        return idp.response(request, `<samlp:Extensions>${signed}</samlp:Extensions>${copy}`);
      },
      'the signed response in another': (request: SamlRequest) => {
        const signed = idp.sign(idp.response(request, idp.assertion(request)), 'Response');
        return idp.response(request, `<samlp:Extensions>${signed}</samlp:Extensions>${evil(request)}`);
      },
    }))
      expect(await statusOf(make), name).to.equal(403);
  });

  it('with comments, document types, entities, CDATA or instructions', async () => {
    const { idp } = corp;
    const asSaid = (nameXml: string) => (request: SamlRequest) =>
      idp.response(request, wellSigned(request, { nameXml }));
    const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join('');
    for (const [name, make] of Object.entries({
      comment: (request: SamlRequest) =>
        idp.response(request, wellSigned(request, { nameId: 'root.evil' })).replace('root.evil', 'root<!-- -->.evil'),
      'signed comment': asSaid('root<!-- -->.evil'),
      CDATA: asSaid('<![CDATA[root]]>'),
      instruction: asSaid('ro<?x y?>ot'),
      'entity expansion': (request: SamlRequest) =>
        `<!DOCTYPE x [<!ENTITY e0 "lol">${entities}]>${idp.answer(request, { nameId: 'ada' }).replace('>ada<', '>&e9;<')}`,
      'external entity': (request: SamlRequest) => `<!DOCTYPE x SYSTEM "file:///etc/passwd">${idp.answer(request)}`,
    }))
      expect(await statusOf(make), name).to.equal(403);
  });

  it('that are huge, deep or no XML, at once', async () => {
    const { idp } = corp;
    const deep = (request: SamlRequest, depth: number) =>
      idp.response(request, `<a>${'<b>'.repeat(depth)}${'</b>'.repeat(depth)}</a>${wellSigned(request)}`);
    expect(await statusOf((request) => deep(request, 9000))).to.equal(403);
    expect(await statusOf((request) => deep(request, 60_000))).to.equal(403);
    expect(await statusOf(() => '<a xmlns:b="">'.repeat(19_900))).to.equal(403);
    expect(await statusOf(() => '<a xmlns:b=""></x>'.repeat(9900))).to.equal(403);
    const declared = (request: SamlRequest, count: number) =>
      idp.response(request, `<a>${'<b xmlns:c="urn:c"/>'.repeat(count)}</a>${wellSigned(request)}`);
    expect(await statusOf((request) => declared(request, 4000))).to.equal(303);
    expect(await statusOf((request) => declared(request, 7000))).to.equal(403);
    const many = { attributes: { groups: Array.from({ length: 15_000 }, () => 'x') } };
    expect(await answered(many)).to.equal(403);
    for (const xml of ['', 'x', '<a', '<a></b>', '\0', '<samlp:Response/>', `<a>${'x'.repeat(600_000)}</a>`])
      expect((await corp.post(xml)).statusCode, xml.slice(0, 20)).to.be.within(400, 422);
    expect((await corp.post('x'.repeat(2_000_000))).statusCode).to.equal(413);
    expect((await host.inject({ method: 'POST', url: '/user/saml/Corp/acs' })).statusCode).to.be.within(400, 422);
  });

  it('with a reason that is short, whatever an unsigned response says', async () => {
    const { request } = await corp.startSignIn();
    const status = `<samlp:StatusMessage>${'x'.repeat(10_000)}</samlp:StatusMessage></samlp:Status>`;
    const xml = corp.idp.response(request, '').replace('status:Success', 'status:Requester');
    const source = await sourceOf(host.services.get(loginSources), 'Corp');
    const answer = new SamlClient(host.site).assertion(source, encoded(xml.replace('</samlp:Status>', status)));
    expect((await expect(answer).to.reject(ResponseRefused, /Requester error: x{100}/)).message).to.have.length(300);
  });

  it('of another source, though its provider has signed them', async () => {
    const second = { kind: 'saml', name: 'Second', settings: corp.settings() };
    await host.services.get(loginSources).create(second);
    const { browser, request } = await corp.startSignIn();
    expect((await corp.post(corp.idp.answer(request), 'Second')).statusCode).to.equal(403);
    expect(await isSignedIn(browser)).to.be.false();
  });
});
