import type { VNode } from 'preact';
import { CheckField, SelectField, TextField, type FieldNames } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** What refusals call the settings. */
export const fieldNames: FieldNames = {
  'settings.realms': t.later('field.realms'),
  'settings.separatorReplacement': t.later('field.separatorReplacement'),
  'settings.defaultLanguage': t.later('field.defaultLanguage'),
};

interface Props {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Why it cannot work here. */
  readonly unmetRequirement: string | undefined;
  readonly languages: readonly { readonly tag: string; readonly name: string }[];
}

/** The form of a source. */
export function SourceFields({ settings, unmetRequirement, languages }: Props): VNode {
  const text = (name: string): string => (typeof settings[name] === 'string' ? settings[name] : '');
  const Tick = ({ name, label, note }: { name: string; label: string; note?: string }): VNode => (
    <>
      <CheckField
        name={`settings.${name}`}
        checked={settings[name] === true || settings[name] === 'true'}
        label={label}
        note={note}
      />
      {/* the first of two counts: one that is not ticked says so, where the default is yes */}
      <input type="hidden" name={`settings.${name}`} value="false" />
    </>
  );
  return (
    <>
      {unmetRequirement ? <p class="flash flash-warn">{unmetRequirement}</p> : null}
      <TextField
        name="settings.realms"
        label={t('field.realms')}
        value={text('realms')}
        note={t('field.realmsNote')}
        required
        spellcheck={false}
        maxLength={1024}
      />
      <Tick name="autoCreateUsers" label={t('field.autoCreateUsers')} note={t('field.autoCreateUsersNote')} />
      <Tick name="autoActivateUsers" label={t('field.autoActivateUsers')} />
      <Tick name="stripDomainNames" label={t('field.stripDomainNames')} note={t('field.stripDomainNamesNote')} />
      <SelectField
        name="settings.separatorReplacement"
        label={t('field.separatorReplacement')}
        value={text('separatorReplacement')}
        options={['_', '-', '.'].map((sign) => [sign, sign] as const)}
        note={t('field.separatorReplacementNote')}
      />
      <SelectField
        name="settings.defaultLanguage"
        label={t('field.defaultLanguage')}
        value={text('defaultLanguage')}
        options={[
          ['', t('field.visitorsLanguage')] as const,
          ...languages.map(({ tag, name }) => [tag, name] as const),
        ]}
      />
    </>
  );
}
