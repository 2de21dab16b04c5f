import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mergedClaims } from '../services/client.js';
import { hasRequiredClaim, identityOf } from '../services/identity.js';
import { providers, type Claims } from '../services/providers.js';
import { oauth2Schema, type StoredSettings } from '../services/source-settings.js';

export const lab = Lab.script();
const { describe, it } = lab;

const settings = (more: object = {}): StoredSettings => {
  const checked = oauth2Schema.validate({ clientId: 'x', discoveryUrl: 'https://id.example', ...more });
  if (checked.error) throw checked.error;
  return checked.value;
};
const said = (claims: Claims, more?: object) => identityOf(claims, settings(more), 'nickname');

describe('what providers say of people', () => {
  it('whoever comes without groups, or with too many, keeps rights and teams', () => {
    const from = (claims: Claims) => {
      const { groups, isAdmin } = said(
        { sub: 'a', ...claims },
        { groupClaimName: 'groups', adminGroup: 'admins' },
      )!.said;
      return { groups, isAdmin };
    };
    const nothing = { groups: undefined, isAdmin: undefined };
    expect(from({})).to.equal(nothing);
    expect(from({ groups: null })).to.equal(nothing);
    expect(from({ groups: Array.from({ length: 2001 }, (_, at) => `group-${at}`) })).to.equal(nothing);
    expect(from({ groups: [] })).to.equal({ groups: [], isAdmin: false });
    expect(from({ groups: ['admins'] })).to.equal({ groups: ['admins'], isAdmin: true });
  });

  it('GitHub vouches for the primary address that it has verified', () => {
    const { claims } = providers.github as Extract<typeof providers.github, { kind: 'api' }>;
    const profile = {
      id: 7,
      login: 'ada',
      name: 'Ada',
      email: 'public@example.com',
      avatar_url: 'https://a.example/7',
    };
    const emails = [
      { email: 'other@example.com', primary: false, verified: true },
      { email: 'ada@example.com', primary: true, verified: false },
    ];
    expect(said(claims(profile, emails, false))).to.include({
      subject: '7',
      name: 'ada',
      email: 'ada@example.com',
      isEmailVerified: false,
      picture: 'https://a.example/7',
    });
    const verified = [{ email: 'ada@example.com', primary: true, verified: true }];
    expect(said(claims(profile, verified, false))).to.include({ isEmailVerified: true });
    expect(said(claims(profile, [], false))).to.include({ email: 'public@example.com', isEmailVerified: false });
  });

  it('GitLab vouches for accounts that were confirmed, GitLab of others and the API of Gitea for none', () => {
    const confirmed = { id: 1, username: 'ada', email: 'a@b.example', confirmed_at: '2026-01-01T00:00:00Z' };
    for (const [key, profile, isCustom, isVerified] of [
      ['gitlab', confirmed, false, true],
      ['gitlab', confirmed, true, false],
      ['gitlab', { ...confirmed, confirmed_at: null }, false, false],
      ['gitea', { id: 1, login: 'ada', email: 'a@b.example', email_verified: true }, false, false],
    ] as const) {
      const provider = providers[key] as Extract<(typeof providers)['gitea'], { kind: 'api' }>;
      const identity = said(provider.claims(profile, [], isCustom));
      expect(identity).to.include({ subject: '1', name: 'ada', isEmailVerified: isVerified });
    }
  });

  it('an address is verified by who names it', () => {
    const [own, others] = ['ada@corp.example', 'victim@corp.example'];
    const verified = { sub: 'a', email: own, email_verified: true };
    const merged = (token: Claims, info: Claims) => {
      const { email, isEmailVerified } = said(mergedClaims(token, info))!;
      return [email, isEmailVerified];
    };
    expect(merged(verified, { sub: 'a', email: others })).to.equal([others, false]);
    expect(merged({ sub: 'a', email: others }, { sub: 'a', email_verified: true })).to.equal([others, false]);
    expect(merged(verified, { sub: 'a', name: 'Ada' })).to.equal([own, true]);
    expect(merged({ sub: 'a' }, verified)).to.equal([own, true]);
  });

  it('nobody is known without a subject, and no claim is taken for what it is not', () => {
    for (const sub of [undefined, '', 7, null, {}, 'x'.repeat(256)]) expect(said({ sub })).to.be.undefined();
    expect(said({ sub: 'a', email: 'no address', email_verified: true, picture: 7, nickname: ['x'] })).to.include({
      name: '',
      email: '',
      isEmailVerified: false,
      picture: '',
    });
    for (const verified of [undefined, 1, 'yes', {}])
      expect(said({ sub: 'a', email: 'a@b.example', email_verified: verified })).to.include({ isEmailVerified: false });
  });

  it('names follow the setting', () => {
    const claims = { sub: 'S-1', nickname: "Zoë d'Arc", preferred_username: 'zoe~d', email: 'z.darc@b.example' };
    const names = (['userid', 'nickname', 'preferred_username', 'email'] as const).map(
      (from) => identityOf(claims, settings(), from)!.name,
    );
    expect(names).to.equal(['S-1', 'Zoe-dArc', 'zoe-d', 'z.darc']);
    expect(said({ sub: 'a', preferred_username: 'only' })!.name).to.equal('only');
    // U14: addresses, and what no account can be called
    for (const from of ['nickname', 'preferred_username'] as const) {
      const named = (preferred_username: string) =>
        identityOf({ sub: 'a', preferred_username }, settings(), from)!.name;
      expect(['z.darc@b.example', 'Zoë@b.example', 'ｚｏｅ', 'zoe$'].map(named)).to.equal(['z.darc', 'Zoe', 'zoe', '']);
    }
  });

  it('claims that are required have to be there, with their value', () => {
    const needs = (name: string, value = '') => settings({ requiredClaimName: name, requiredClaimValue: value });
    expect(hasRequiredClaim({}, needs(''))).to.be.true();
    expect(hasRequiredClaim({ staff: true }, needs('staff'))).to.be.true();
    for (const claims of [{}, { staff: false }, { staff: null }])
      expect(hasRequiredClaim(claims, needs('staff'))).to.be.false();
    expect(hasRequiredClaim({}, needs('constructor'))).to.be.false();
    expect(hasRequiredClaim({ groups: ['a', 'b'] }, needs('groups', 'b'))).to.be.true();
    const groups = { ...needs('groups', 'b'), groupClaimName: 'groups' };
    expect(hasRequiredClaim({ groups: 'a, b' }, groups)).to.be.true();
    // people may choose texts such as their name
    expect(hasRequiredClaim({ name: 'Ada, staff' }, { ...groups, ...needs('name', 'staff') })).to.be.false();
    expect(hasRequiredClaim({ name: 'staff' }, needs('name', 'staff'))).to.be.true();
    expect(hasRequiredClaim({ groups: ['ab'] }, needs('groups', 'b'))).to.be.false();
  });

  it('settings name what a provider needs', () => {
    for (const wrong of [
      { discoveryUrl: '' },
      { discoveryUrl: 'file:///etc/passwd' },
      { clientId: '' },
      { provider: 'missing' },
      { provider: 'azureadv2' },
      { provider: 'azureadv2', tenant: 'common' },
      { groupTeamMap: '[1]' },
      { authUrl: 'javascript:alert(1)' },
    ])
      expect(() => settings(wrong), JSON.stringify(wrong)).to.throw();
    expect(settings({ provider: 'azureadv2', tenant: 'f5c1', discoveryUrl: '' }).tenant).to.equal('f5c1');
    expect(settings({ provider: 'github', discoveryUrl: '' }).provider).to.equal('github');
  });
});
