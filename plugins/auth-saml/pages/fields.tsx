import type { VNode } from 'preact';
import { CheckField, SelectField, TextField, type FieldNames } from '@mortise/plugin-sdk';
import { nameIdFormats } from '../services/source-settings.js';
import { t } from '../texts/index.js';

interface Props {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isNew: boolean;
  /** Addresses of a source with the name NAME. */
  readonly metadata: string;
  readonly acs: string;
  readonly logout: string;
}

/** What refusals call the settings. */
export const fieldNames: FieldNames = {
  'settings.entryPoint': t.later('field.entryPoint'),
  'settings.logoutUrl': t.later('field.logoutUrl'),
  'settings.idpIssuer': t.later('field.idpIssuer'),
  'settings.idpCertificates': t.later('field.idpCertificates'),
  'settings.entityId': t.later('field.entityId'),
  'settings.nameIdFormat': t.later('field.nameIdFormat'),
  'settings.privateKey': t.later('field.privateKey'),
  'settings.certificate': t.later('field.certificate'),
  'settings.loginNameAttribute': t.later('field.loginNameAttribute'),
  'settings.usernameAttribute': t.later('field.usernameAttribute'),
  'settings.emailAttribute': t.later('field.emailAttribute'),
  'settings.fullNameAttribute': t.later('field.fullNameAttribute'),
  'settings.groupsAttribute': t.later('field.groupsAttribute'),
  'settings.requiredGroup': t.later('field.requiredGroup'),
  'settings.adminGroup': t.later('field.adminGroup'),
  'settings.restrictedGroup': t.later('field.restrictedGroup'),
  'settings.groupTeamMap': t.later('field.groupTeamMap'),
};

/** The form of a provider. */
export function SourceFields({ settings, isNew, metadata, acs, logout }: Props): VNode {
  const of = (name: string) => {
    const value = settings[name];
    return { name: `settings.${name}`, value: typeof value === 'string' ? value : '', spellcheck: false };
  };
  const tick = (name: string) => ({
    name: `settings.${name}`,
    checked: settings[name] === true || settings[name] === 'true',
  });
  const address = (text: string) => <code class="wb-break-all">{text}</code>;
  return (
    <>
      <p class="color-fg-muted">{t.rich('field.intro', { metadata: address(metadata), acs: address(acs) })}</p>
      <TextField {...of('entryPoint')} label={t('field.entryPoint')} note={t('field.entryPointNote')} required mono />
      <TextField
        {...of('logoutUrl')}
        label={t('field.logoutUrl')}
        note={t.rich('field.logoutUrlNote', { logout: address(logout) })}
        mono
      />
      <TextField {...of('idpIssuer')} label={t('field.idpIssuer')} required mono />
      <TextField
        {...of('idpCertificates')}
        label={t('field.idpCertificates')}
        note={t('field.idpCertificatesNote')}
        lines={6}
        required
        mono
      />
      <TextField {...of('entityId')} label={t('field.entityId')} note={t('field.entityIdNote')} mono />
      <SelectField
        {...of('nameIdFormat')}
        label={t('field.nameIdFormat')}
        options={nameIdFormats.map((one) => [one, one] as const)}
      />
      <CheckField
        {...tick('wantsSignedResponse')}
        label={t('field.wantsSignedResponse')}
        note={t('field.wantsSignedResponseNote')}
      />
      <TextField
        name="settings.privateKey"
        label={t('field.privateKey')}
        note={isNew ? t('field.privateKeyNote') : t('field.privateKeyKept')}
        lines={4}
        spellcheck={false}
        mono
      />
      <TextField
        {...of('certificate')}
        label={t('field.certificate')}
        note={t('field.certificateNote')}
        lines={4}
        mono
      />
      {isNew ? null : <CheckField {...tick('removeKey')} label={t('field.removeKey')} />}
      <TextField
        {...of('loginNameAttribute')}
        label={t('field.loginNameAttribute')}
        note={t('field.loginNameAttributeNote')}
        mono
      />
      <TextField
        {...of('usernameAttribute')}
        label={t('field.usernameAttribute')}
        note={t('field.usernameAttributeNote')}
        mono
      />
      <TextField
        {...of('emailAttribute')}
        label={t('field.emailAttribute')}
        note={t('field.emailAttributeNote')}
        mono
      />
      <TextField {...of('fullNameAttribute')} label={t('field.fullNameAttribute')} mono />
      <TextField {...of('groupsAttribute')} label={t('field.groupsAttribute')} mono />
      <TextField {...of('requiredGroup')} label={t('field.requiredGroup')} note={t('field.requiredGroupNote')} />
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
    </>
  );
}
