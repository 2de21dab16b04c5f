import type { VNode } from 'preact';
import { CheckField, SelectField, TextField, type FieldNames } from '@mortise/plugin-sdk';
import { providerKeys, providers } from '../services/providers.js';
import { t } from '../texts/index.js';

interface Props {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isNew: boolean;
  /** Redirect address of a source with the name NAME. */
  readonly callback: string;
}

/** What refusals call the settings. */
export const fieldNames: FieldNames = {
  'settings.provider': t.later('field.provider'),
  'settings.clientId': t.later('field.clientId'),
  'settings.clientSecret': t.later('field.clientSecret'),
  'settings.discoveryUrl': t.later('field.discoveryUrl'),
  'settings.tenant': t.later('field.tenant'),
  'settings.authUrl': t.later('field.authUrl'),
  'settings.tokenUrl': t.later('field.tokenUrl'),
  'settings.profileUrl': t.later('field.profileUrl'),
  'settings.emailUrl': t.later('field.emailUrl'),
  'settings.scopes': t.later('field.scopes'),
  'settings.iconUrl': t.later('field.iconUrl'),
  'settings.requiredClaimName': t.later('field.requiredClaimName'),
  'settings.requiredClaimValue': t.later('field.requiredClaimValue'),
  'settings.groupClaimName': t.later('field.groupClaimName'),
  'settings.adminGroup': t.later('field.adminGroup'),
  'settings.restrictedGroup': t.later('field.restrictedGroup'),
  'settings.groupTeamMap': t.later('field.groupTeamMap'),
  'settings.fullNameClaimName': t.later('field.fullNameClaimName'),
  'settings.sshPublicKeyClaimName': t.later('field.sshPublicKeyClaimName'),
};

/** The form of a provider. */
export function SourceFields({ settings, isNew, callback }: Props): VNode {
  const text = (name: string): string => {
    const value = settings[name];
    return typeof value === 'string' ? value : '';
  };
  const of = (name: string) => ({ name: `settings.${name}`, value: text(name), spellcheck: false });
  const tick = (name: string) => ({
    name: `settings.${name}`,
    checked: settings[name] === true || settings[name] === 'true',
  });
  return (
    <>
      <SelectField
        name="settings.provider"
        label={t('field.provider')}
        value={text('provider')}
        options={providerKeys.map((key) => [key, providers[key].label] as const)}
        note={t.rich('field.providerNote', { address: <code class="wb-break-all">{callback}</code> })}
      />
      <TextField {...of('clientId')} label={t('field.clientId')} required maxLength={255} mono />
      <TextField
        name="settings.clientSecret"
        label={t('field.clientSecret')}
        type="password"
        autocomplete="new-password"
        note={isNew ? undefined : t('field.clientSecretNote')}
      />
      <TextField {...of('discoveryUrl')} label={t('field.discoveryUrl')} mono note={t('field.discoveryUrlNote')} />
      <TextField {...of('tenant')} label={t('field.tenant')} mono note={t('field.tenantNote')} />
      <CheckField {...tick('useCustomUrls')} label={t('field.useCustomUrls')} note={t('field.useCustomUrlsNote')} />
      <TextField {...of('authUrl')} label={t('field.authUrl')} mono />
      <TextField {...of('tokenUrl')} label={t('field.tokenUrl')} mono />
      <TextField {...of('profileUrl')} label={t('field.profileUrl')} mono />
      <TextField {...of('emailUrl')} label={t('field.emailUrl')} mono />
      <TextField {...of('scopes')} label={t('field.scopes')} mono note={t('field.scopesNote')} />
      <TextField {...of('iconUrl')} label={t('field.iconUrl')} mono />
      <TextField
        {...of('requiredClaimName')}
        label={t('field.requiredClaimName')}
        note={t('field.requiredClaimNameNote')}
      />
      <TextField
        {...of('requiredClaimValue')}
        label={t('field.requiredClaimValue')}
        note={t('field.requiredClaimValueNote')}
      />
      <TextField {...of('groupClaimName')} label={t('field.groupClaimName')} note={t('field.groupClaimNameNote')} />
      <TextField {...of('adminGroup')} label={t('field.adminGroup')} note={t('field.adminGroupNote')} />
      <TextField {...of('restrictedGroup')} label={t('field.restrictedGroup')} note={t('field.restrictedGroupNote')} />
      <TextField
        {...of('groupTeamMap')}
        label={t('field.groupTeamMap')}
        lines={4}
        mono
        note={t.rich('field.groupTeamMapNote', { example: <code>{'{"developers": {"works": ["Builders"]}}'}</code> })}
      />
      <CheckField {...tick('groupTeamMapRemoval')} label={t('field.groupTeamMapRemoval')} />
      <TextField
        {...of('fullNameClaimName')}
        label={t('field.fullNameClaimName')}
        note={t('field.fullNameClaimNameNote')}
      />
      <TextField
        {...of('sshPublicKeyClaimName')}
        label={t('field.sshPublicKeyClaimName')}
        note={t('field.sshPublicKeyClaimNameNote')}
      />
    </>
  );
}
