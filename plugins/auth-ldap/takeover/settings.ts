import type { ForeignLoginSource } from '@mortise/accounts/api';

/** What `login_source.type` is there. */
const types = { bindDn: 2, simple: 5 } as const;
const securities = ['unencrypted', 'ldaps', 'starttls'] as const;

type Settings = Readonly<Record<string, unknown>>;

/** Empty where the preset is meant. */
const orPreset = (value: unknown): unknown => (value === '' ? undefined : value);

const commonSettings = ({ config }: ForeignLoginSource): Settings => ({
  host: config.Host,
  port: config.Port,
  security: securities[Number(config.SecurityProtocol ?? 0)],
  skipTlsVerify: config.SkipVerify,
  userBase: config.UserBase,
  userFilter: config.Filter,
  adminFilter: config.AdminFilter,
  restrictedFilter: config.RestrictedFilter,
  usernameAttribute: orPreset(config.AttributeUsername),
  firstNameAttribute: config.AttributeName,
  surnameAttribute: config.AttributeSurname,
  emailAttribute: orPreset(config.AttributeMail),
  sshKeyAttribute: config.AttributeSSHPublicKey,
  avatarAttribute: config.AttributeAvatar,
  groupsEnabled: config.GroupsEnabled,
  groupBase: config.GroupDN,
  groupFilter: config.GroupFilter,
  groupMemberAttribute: orPreset(config.GroupMemberUID),
  groupUserAttribute: orPreset(config.UserUID),
  groupTeamMap: config.GroupTeamMap,
  groupTeamMapRemoval: config.GroupTeamMapRemoval,
});

/** The password is encrypted with the SECRET_KEY; earlier versions had it as it is. */
function passwordOf({ config, decrypt }: ForeignLoginSource): unknown {
  const encrypted = config.BindPasswordEncrypt;
  if (typeof encrypted !== 'string' || encrypted === '') return config.BindPassword ?? '';
  // without it the source is refused, and says so
  return decrypt(encrypted);
}

/** Of a source with a name that may search. */
export const bindDnSettings = (source: ForeignLoginSource): Settings | undefined =>
  source.type === types.bindDn
    ? {
        ...commonSettings(source),
        bindDn: source.config.BindDN,
        bindPassword: passwordOf(source),
        allowDeactivateAll: source.config.AllowDeactivateAll,
        attributesInBind: source.config.AttributesInBind,
        pageSize: source.config.SearchPageSize,
      }
    : undefined;

export const simpleSettings = (source: ForeignLoginSource): Settings | undefined =>
  source.type === types.simple ? { ...commonSettings(source), userDn: source.config.UserDN } : undefined;
