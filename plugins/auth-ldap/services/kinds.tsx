import { Problem, type Logger } from '@mortise/plugin-sdk';
import {
  defineLoginSourceKind,
  type Account,
  type AccountPictures,
  type LoginSource,
  type LoginSourceKind,
  type PublicKeys,
} from '@mortise/accounts/api';
import { parseGroupTeamMap, type GroupTeamMap, type GroupTeams } from '@mortise/organizations/api';
import { DirectoryFields, fieldNames } from '../pages/fields.js';
import { t } from '../texts/index.js';
import type { Directory } from './directory.js';
import { plainDn } from './escape.js';
import type { DirectoryUser } from './directory-user.js';
import { bindDnSchema, simpleSchema, type DirectorySettings } from './settings.js';

interface KindDeps {
  readonly directory: Directory;
  readonly publicKeys: PublicKeys;
  readonly pictures: AccountPictures;
  /** Absent: there are no organizations. */
  readonly groupTeams?: GroupTeams;
  readonly log: Pick<Logger, 'warn'>;
}

type Source = LoginSource<DirectorySettings>;

/** The same group in two spellings is one. */
function plainMap(map: GroupTeamMap): GroupTeamMap {
  const plain: Record<string, Record<string, readonly string[]>> = {};
  for (const [group, organizations] of Object.entries(map)) {
    const known = (plain[plainDn(group)] ??= {});
    for (const [organization, teams] of Object.entries(organizations))
      known[organization] = [...new Set([...(known[organization] ?? []), ...teams])];
  }
  return plain;
}

/** What follows from a sign-in or a synchronization: teams, keys and the picture. */
function onProvisioned({ publicKeys, pictures, groupTeams, log }: KindDeps) {
  return async ({ settings, name }: Source, account: Account, externalUser: DirectoryUser): Promise<void> => {
    if (externalUser.groups && groupTeams) {
      const map = plainMap(parseGroupTeamMap(settings.groupTeamMap));
      await groupTeams.apply(account, externalUser.groups, map, { removes: settings.groupTeamMapRemoval });
    }
    if (externalUser.publicKeys) await publicKeys.sync(account, name, externalUser.publicKeys);
    if (externalUser.avatar && account.avatar === '')
      try {
        await pictures.upload(account.id, externalUser.avatar);
      } catch (error) {
        if (!Problem.is(error)) throw error;
        log.warn('rejected an avatar of a directory', { event: 'ldap.avatar', account: account.name, error });
      }
  };
}

/** Kind `ldap` (via BindDN): somebody who may search finds the person. */
export const bindDnKind = (deps: KindDeps): LoginSourceKind =>
  defineLoginSourceKind<DirectorySettings>({
    key: 'ldap',
    label: t.later('kind.bindDn'),
    schema: bindDnSchema,
    secrets: ['bindPassword'],
    names: fieldNames,
    checkPassword: (source, name, password) => deps.directory.checkPassword(source, name, password),
    users: (source, signal) => deps.directory.users(source, signal),
    tryConnection: (source) => deps.directory.tryConnection(source),
    managesPublicKeys: ({ settings }) => settings.sshKeyAttribute !== '',
    provisioned: onProvisioned(deps),
    takenSettings: async (source) => (await import('../takeover/settings.js')).bindDnSettings(source),
    fields: ({ settings, isNew }) => <DirectoryFields settings={settings} isNew={isNew} />,
  });

/** Kind `ldap-simple` (simple auth): the name of the entry follows from what was typed. */
export const simpleKind = (deps: KindDeps): LoginSourceKind =>
  defineLoginSourceKind<DirectorySettings>({
    key: 'ldap-simple',
    label: t.later('kind.simple'),
    schema: simpleSchema,
    names: fieldNames,
    checkPassword: (source, name, password) => deps.directory.checkSimplePassword(source, name, password),
    tryConnection: (source) => deps.directory.tryConnection(source),
    managesPublicKeys: ({ settings }) => settings.sshKeyAttribute !== '',
    provisioned: onProvisioned(deps),
    takenSettings: async (source) => (await import('../takeover/settings.js')).simpleSettings(source),
    fields: ({ settings, isNew }) => <DirectoryFields settings={settings} isNew={isNew} isSimple />,
  });
