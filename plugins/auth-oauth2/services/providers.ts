import type { OAuth2Settings } from './source-settings.js';

/** What a provider says of somebody, by the names of OpenID Connect (Core 1.0, 5.1), with all that it says besides. */
export type Claims = Readonly<Record<string, unknown>>;

export const providerKeys = ['openidConnect', 'github', 'gitlab', 'gitea', 'gplus', 'azureadv2'] as const;
export type ProviderKey = (typeof providerKeys)[number];

/** A provider that describes itself (OpenID Connect Discovery 1.0). */
interface DiscoveredProvider {
  readonly kind: 'oidc';
  readonly label: string;
  /** Issuer, or address of its description. */
  issuer(settings: OAuth2Settings): string;
}

/** A provider of OAuth 2.0 that tells who somebody is in an API of its own. */
export interface ApiProvider {
  readonly kind: 'api';
  readonly label: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly profileUrl: string;
  /** Where addresses are told apart from the profile. */
  readonly emailUrl?: string;
  readonly scopes: readonly string[];
  /**
   * Throws nothing: what is missing is absent, and the caller refuses somebody without `sub`. `isCustom`: another site than
   * the well-known one answers.
   */
  claims(profile: Claims, emails: readonly Claims[], isCustom: boolean): Claims;
}

type Provider = DiscoveredProvider | ApiProvider;

const idOf = (value: unknown) =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? String(value)
    : typeof value === 'string'
      ? value
      : undefined;

/** Endpoints of well-known sites are what their documentation says; self-hosted ones set theirs. */
export const providers: Readonly<Record<ProviderKey, Provider>> = {
  openidConnect: { kind: 'oidc', label: 'OpenID Connect', issuer: ({ discoveryUrl }) => discoveryUrl },
  github: {
    kind: 'api',
    label: 'GitHub',
    authUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    profileUrl: 'https://api.github.com/user',
    emailUrl: 'https://api.github.com/user/emails',
    scopes: ['read:user', 'user:email'],
    claims(profile, emails) {
      const primary = emails.find((one) => one.primary === true);
      return {
        ...profile,
        sub: idOf(profile.id),
        nickname: profile.login,
        preferred_username: profile.login,
        email: primary?.email ?? profile.email,
        email_verified: primary?.verified === true,
        picture: profile.avatar_url,
      };
    },
  },
  gitlab: {
    kind: 'api',
    label: 'GitLab',
    authUrl: 'https://gitlab.com/oauth/authorize',
    tokenUrl: 'https://gitlab.com/oauth/token',
    profileUrl: 'https://gitlab.com/api/v4/user',
    scopes: ['read_user'],
    claims: (profile, _emails, isCustom) => ({
      ...profile,
      sub: idOf(profile.id),
      nickname: profile.username,
      preferred_username: profile.username,
      // the primary address at gitlab.com is always a confirmed one, of accounts that were confirmed; sites of others may
      // confirm accounts without asking for a mail
      email_verified: !isCustom && typeof profile.confirmed_at === 'string',
      picture: profile.avatar_url,
    }),
  },
  gitea: {
    kind: 'api',
    label: 'Gitea / Mortise',
    authUrl: 'https://gitea.com/login/oauth/authorize',
    tokenUrl: 'https://gitea.com/login/oauth/access_token',
    profileUrl: 'https://gitea.com/api/v1/user',
    scopes: ['read:user'],
    claims: (profile) => ({
      ...profile,
      sub: idOf(profile.id),
      nickname: profile.login,
      preferred_username: profile.login,
      name: profile.full_name,
      // its API does not tell whether somebody has confirmed the address; OpenID Connect does
      email_verified: false,
      picture: profile.avatar_url,
    }),
  },
  gplus: { kind: 'oidc', label: 'Google', issuer: () => 'https://accounts.google.com' },
  azureadv2: {
    kind: 'oidc',
    label: 'Microsoft Entra ID',
    issuer: ({ tenant }) => `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/v2.0`,
  },
};

/** Addresses that the operator has named, or that come with the provider. */
function namedAddresses(settings: OAuth2Settings): readonly URL[] {
  const provider = providers[settings.provider];
  const own = settings.useCustomUrls
    ? [settings.authUrl, settings.tokenUrl, settings.profileUrl, settings.emailUrl]
    : [];
  const given = provider.kind === 'oidc' ? [provider.issuer(settings)] : own;
  return given.filter((one) => URL.canParse(one)).map((one) => new URL(one));
}

export const namedHosts = (settings: OAuth2Settings): ReadonlySet<string> =>
  new Set(namedAddresses(settings).map(({ hostname }) => hostname));

export const namedOrigins = (settings: OAuth2Settings): ReadonlySet<string> =>
  new Set(namedAddresses(settings).map(({ origin }) => origin));
