import type { ForeignLoginSource } from '@mortise/accounts/api';

/** `login_source.type` there. */
const oauth2 = 6;

type Settings = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : '');

export function oauth2Settings({ type, config }: ForeignLoginSource): Settings | undefined {
  if (type !== oauth2) return undefined;
  const urls = (config.CustomURLMapping ?? {}) as Settings;
  return {
    provider: config.Provider,
    clientId: config.ClientID,
    clientSecret: config.ClientSecret,
    discoveryUrl: config.OpenIDConnectAutoDiscoveryURL,
    tenant: urls.Tenant,
    useCustomUrls: Boolean(urls.AuthURL),
    authUrl: urls.AuthURL,
    tokenUrl: urls.TokenURL,
    profileUrl: urls.ProfileURL,
    emailUrl: urls.EmailURL,
    scopes: listOf(config.Scopes),
    iconUrl: config.IconURL,
    requiredClaimName: config.RequiredClaimName,
    requiredClaimValue: config.RequiredClaimValue,
    groupClaimName: config.GroupClaimName,
    adminGroup: config.AdminGroup,
    restrictedGroup: config.RestrictedGroup,
    groupTeamMap: config.GroupTeamMap,
    groupTeamMapRemoval: config.GroupTeamMapRemoval,
    fullNameClaimName: config.FullNameClaimName,
    sshPublicKeyClaimName: config.SSHPublicKeyClaimName,
  };
}
