import type { Site } from '@mortise/plugin-sdk';
import { defineLoginSourceKind, type Account, type ExternalUser, type LoginSourceKind } from '@mortise/accounts/api';
import { parseGroupTeamMap, type GroupTeams } from '@mortise/organizations/api';
import { fieldNames, SourceFields } from '../pages/fields.js';
import { acsUrl, kindKey, logoutUrl, metadataUrl, type Source } from '../routes/active-sources.js';
import { t } from '../texts/index.js';
import { samlSchema, type StoredSettings } from './source-settings.js';

interface KindDeps {
  readonly site: Site;
  /** Absent: there are no organizations. */
  readonly groupTeams?: GroupTeams;
}

/** What follows from a sign-in: teams. */
const onProvisioned =
  ({ groupTeams }: KindDeps) =>
  async ({ settings }: Source, account: Account, { groups }: ExternalUser): Promise<void> => {
    if (!groups || !groupTeams) return;
    const map = parseGroupTeamMap(settings.groupTeamMap);
    await groupTeams.apply(account, groups, map, { removes: settings.groupTeamMapRemoval });
  };

/** Kind `saml`: a provider of SAML 2.0 Web SSO. */
export const samlKind = (deps: KindDeps): LoginSourceKind =>
  defineLoginSourceKind<StoredSettings>({
    key: kindKey,
    label: t.later('kind.saml'),
    schema: samlSchema,
    secrets: ['privateKey'],
    lasting: ['idpIssuer', 'loginNameAttribute'],
    names: fieldNames,
    provisioned: onProvisioned(deps),
    fields: ({ settings, isNew }) => (
      <SourceFields
        settings={settings}
        isNew={isNew}
        metadata={metadataUrl(deps.site, { name: 'NAME' })}
        acs={acsUrl(deps.site, { name: 'NAME' })}
        logout={logoutUrl(deps.site, { name: 'NAME' })}
      />
    ),
  });
