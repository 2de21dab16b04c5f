import type { VNode } from 'preact';
import { CheckField, NumberField, SelectField, TextField, type FieldNames } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

interface Props {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isNew: boolean;
  readonly isSimple?: boolean;
}

/** What refusals call the settings. */
export const fieldNames: FieldNames = {
  'settings.host': t.later('field.host'),
  'settings.port': t.later('field.port'),
  'settings.security': t.later('field.security'),
  'settings.bindDn': t.later('field.bindDn'),
  'settings.bindPassword': t.later('field.bindPassword'),
  'settings.userDn': t.later('field.userDn'),
  'settings.userBase': t.later('field.userBase'),
  'settings.userFilter': t.later('field.userFilter'),
  'settings.adminFilter': t.later('field.adminFilter'),
  'settings.restrictedFilter': t.later('field.restrictedFilter'),
  'settings.usernameAttribute': t.later('field.usernameAttribute'),
  'settings.firstNameAttribute': t.later('field.firstNameAttribute'),
  'settings.surnameAttribute': t.later('field.surnameAttribute'),
  'settings.emailAttribute': t.later('field.emailAttribute'),
  'settings.sshKeyAttribute': t.later('field.sshKeyAttribute'),
  'settings.avatarAttribute': t.later('field.avatarAttribute'),
  'settings.pageSize': t.later('field.pageSize'),
  'settings.groupBase': t.later('field.groupBase'),
  'settings.groupFilter': t.later('field.groupFilter'),
  'settings.groupMemberAttribute': t.later('field.groupMemberAttribute'),
  'settings.groupUserAttribute': t.later('field.groupUserAttribute'),
  'settings.groupTeamMap': t.later('field.groupTeamMap'),
};

/** Fields with what is stored, or what was sent. */
const fieldReader = (settings: Props['settings']) => {
  const text = (name: string): string => {
    const value = settings[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  return {
    text,
    of: (name: string) => ({ name: `settings.${name}`, value: text(name), spellcheck: false }),
    tick: (name: string) => ({
      name: `settings.${name}`,
      checked: settings[name] === true || settings[name] === 'true',
    }),
  };
};

type FieldReader = ReturnType<typeof fieldReader>;

const ConnectionFields = ({ text, of, tick, isNew, isSimple }: Props & FieldReader): VNode => (
  <>
    <TextField {...of('host')} label={t('field.host')} required maxLength={253} />
    <NumberField
      name="settings.port"
      label={t('field.port')}
      value={Number(text('port')) || 389}
      min={1}
      max={65_535}
      note={t('field.portNote')}
    />
    <SelectField
      name="settings.security"
      label={t('field.security')}
      value={text('security')}
      options={[
        ['unencrypted', t('security.unencrypted')],
        ['ldaps', 'LDAPS'],
        ['starttls', 'StartTLS'],
      ]}
    />
    <CheckField {...tick('skipTlsVerify')} label={t('field.skipTlsVerify')} note={t('field.skipTlsVerifyNote')} />
    {isSimple ? (
      <TextField {...of('userDn')} label={t('field.userDn')} required mono note={t('field.userDnNote')} />
    ) : (
      <>
        <TextField {...of('bindDn')} label={t('field.bindDn')} mono note={t('field.bindDnNote')} />
        <TextField
          name="settings.bindPassword"
          label={t('field.bindPassword')}
          type="password"
          autocomplete="new-password"
          note={isNew ? undefined : t('field.bindPasswordNote')}
        />
      </>
    )}
  </>
);

const UserFields = ({ of, tick, isSimple }: Props & FieldReader): VNode => (
  <>
    <TextField {...of('userBase')} label={t('field.userBase')} required={!isSimple} mono />
    <TextField {...of('userFilter')} label={t('field.userFilter')} required mono note={t('field.userFilterNote')} />
    <TextField {...of('adminFilter')} label={t('field.adminFilter')} mono note={t('field.adminFilterNote')} />
    <TextField
      {...of('restrictedFilter')}
      label={t('field.restrictedFilter')}
      mono
      note={t('field.restrictedFilterNote')}
    />
    {isSimple ? null : (
      <CheckField
        {...tick('allowDeactivateAll')}
        label={t('field.allowDeactivateAll')}
        note={t('field.allowDeactivateAllNote')}
      />
    )}
  </>
);

const AttributeFields = ({ text, of, tick, isSimple }: Props & FieldReader): VNode => (
  <>
    <TextField {...of('usernameAttribute')} label={t('field.usernameAttribute')} required />
    <TextField {...of('firstNameAttribute')} label={t('field.firstNameAttribute')} />
    <TextField {...of('surnameAttribute')} label={t('field.surnameAttribute')} />
    <TextField {...of('emailAttribute')} label={t('field.emailAttribute')} required />
    <TextField {...of('sshKeyAttribute')} label={t('field.sshKeyAttribute')} note={t('field.sshKeyAttributeNote')} />
    <TextField {...of('avatarAttribute')} label={t('field.avatarAttribute')} />
    {isSimple ? null : (
      <>
        <CheckField {...tick('attributesInBind')} label={t('field.attributesInBind')} />
        <NumberField
          name="settings.pageSize"
          label={t('field.pageSize')}
          value={Number(text('pageSize') || 0)}
          min={0}
          max={10_000}
          note={t('field.pageSizeNote')}
        />
      </>
    )}
  </>
);

const GroupFields = ({ of, tick }: FieldReader): VNode => (
  <>
    <CheckField {...tick('groupsEnabled')} label={t('field.groupsEnabled')} />
    <TextField {...of('groupBase')} label={t('field.groupBase')} mono />
    <TextField {...of('groupFilter')} label={t('field.groupFilter')} mono note={t('field.groupFilterNote')} />
    <TextField {...of('groupMemberAttribute')} label={t('field.groupMemberAttribute')} />
    <TextField
      {...of('groupUserAttribute')}
      label={t('field.groupUserAttribute')}
      note={t('field.groupUserAttributeNote')}
    />
    <TextField
      {...of('groupTeamMap')}
      label={t('field.groupTeamMap')}
      lines={4}
      mono
      note={t.rich('field.groupTeamMapNote', {
        example: <code>{'{"cn=devs,ou=groups,dc=example,dc=com": {"works": ["Builders"]}}'}</code>,
      })}
    />
    <CheckField {...tick('groupTeamMapRemoval')} label={t('field.groupTeamMapRemoval')} />
  </>
);

/** The form of a directory, for both kinds. */
export function DirectoryFields({ settings, isNew, isSimple = false }: Props): VNode {
  const props = { settings, isNew, isSimple, ...fieldReader(settings) };
  return (
    <>
      <ConnectionFields {...props} />
      <UserFields {...props} />
      <AttributeFields {...props} />
      <GroupFields {...props} />
    </>
  );
}
