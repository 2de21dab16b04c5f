import type { Database, Site } from '@mortise/plugin-sdk';
import {
  defineLoginSourceKind,
  type Account,
  type ExternalUser,
  type LoginSourceKind,
  type PublicKeys,
} from '@mortise/accounts/api';
import { parseGroupTeamMap, type GroupTeams } from '@mortise/organizations/api';
import { fieldNames, SourceFields } from '../pages/fields.js';
import { LinkRow } from '../models/link.js';
import { callbackUrl, kindKey } from '../routes/active-sources.js';
import { t } from '../texts/index.js';
import { ProviderError, type ProviderClient, type Source } from './client.js';
import { oauth2Schema, type StoredSettings } from './source-settings.js';

interface KindDeps {
  readonly client: ProviderClient;
  readonly database: Database;
  readonly publicKeys: PublicKeys;
  readonly site: Site;
  /** Absent: there are no organizations. */
  readonly groupTeams?: GroupTeams;
}

/** What follows from a sign-in: teams and keys. */
const onProvisioned =
  ({ publicKeys, groupTeams }: KindDeps) =>
  async ({ settings, name }: Source, account: Account, externalUser: ExternalUser): Promise<void> => {
    if (externalUser.groups && groupTeams) {
      const map = parseGroupTeamMap(settings.groupTeamMap);
      await groupTeams.apply(account, externalUser.groups, map, { removes: settings.groupTeamMapRemoval });
    }
    if (externalUser.publicKeys) await publicKeys.sync(account, name, externalUser.publicKeys);
  };

/** Kind `oauth2`: a provider of OAuth 2.0 or OpenID Connect. */
export const oauth2Kind = (deps: KindDeps): LoginSourceKind =>
  defineLoginSourceKind<StoredSettings>({
    key: kindKey,
    label: t.later('kind.oauth2'),
    schema: oauth2Schema,
    secrets: ['clientSecret'],
    lasting: ['provider', 'discoveryUrl', 'tenant', 'useCustomUrls', 'authUrl', 'tokenUrl', 'profileUrl', 'emailUrl'],
    isUsed: async ({ id }) => (await deps.database.query(LinkRow).where('source_id', id).resultSize()) > 0,
    names: fieldNames,
    takenSettings: async (source) => (await import('../takeover/settings.js')).oauth2Settings(source),
    async tryConnection(source) {
      try {
        await deps.client.tryConnection(source);
      } catch (error) {
        throw error instanceof ProviderError ? new Error(reasonOf(error)) : error;
      }
    },
    managesPublicKeys: ({ settings }) => settings.sshPublicKeyClaimName !== '',
    provisioned: onProvisioned(deps),
    fields: ({ settings, isNew }) => (
      <SourceFields settings={settings} isNew={isNew} callback={callbackUrl(deps.site, { name: 'NAME' })} />
    ),
  });

/** What lies deepest says the most, such as a name that cannot be resolved. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? reasonOf(cause) : error.message;
}
