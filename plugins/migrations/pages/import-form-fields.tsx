import type { VNode } from 'preact';
import { CheckField, SelectField, TextField, formText, isChecked, type FormValues } from '@mortise/plugin-sdk';
import { type MigrationSource } from '../api.js';
import { importKinds, type ImportKind, type SourceField } from '../contract/source.js';
import type { AuthorMapping } from '../contract/importer.js';
import { t } from '../texts/index.js';
import { sourceText } from './source-list.js';

interface FieldsProps {
  readonly source: MigrationSource;
  /** What was sent; undefined: the form is new. */
  readonly values: FormValues | undefined;
}

/** What signs in at the source; passwords are not shown again. */
export const SourceFields = ({ source, values }: FieldsProps): VNode => (
  <>
    {source.fields.map((field) => (
      <TextField
        key={field.name}
        name={field.name}
        label={sourceText(field.label)}
        note={field.help && sourceText(field.help)}
        type={field.type ?? 'text'}
        required={field.required}
        maxLength={4096}
        autocomplete={field.type === 'password' ? 'new-password' : 'off'}
        value={values && field.type !== 'password' ? formText(values, field.name) : ''}
      />
    ))}
  </>
);

/** What signs in, to be given anew; none of it is needed. */
export const CredentialFields = ({ fields }: { readonly fields: readonly SourceField[] }): VNode => (
  <>
    {fields.map(({ name, label, type }) => (
      <TextField
        key={name}
        name={name}
        label={sourceText(label)}
        type={type ?? 'text'}
        maxLength={4096}
        autocomplete={type === 'password' ? 'new-password' : 'off'}
        value=""
      />
    ))}
  </>
);

export const KindFields = ({ source, values }: FieldsProps): VNode | null =>
  source.kinds.length ? (
    <fieldset class="mt-3 mb-3 mx-0 Box p-3">
      <legend class="f5 text-bold px-1">{t('form.kinds')}</legend>
      <div class="check-grid">
        {importKinds
          .filter((kind) => source.kinds.includes(kind))
          .map((kind) => (
            <CheckField
              key={kind}
              name={kind}
              value="on"
              label={t(`kind.${kind}`)}
              checked={values ? isChecked(values, kind) : kind !== 'lfs'}
            />
          ))}
      </div>
    </fieldset>
  ) : null;

export const kindsIn = (source: MigrationSource, values: FormValues): ImportKind[] =>
  source.kinds.filter((kind) => isChecked(values, kind));

export const valuesIn = (source: MigrationSource, values: FormValues): Record<string, string> =>
  Object.fromEntries(source.fields.map(({ name }) => [name, formText(values, name, 4096)]));

/** How authors of the source become accounts here, as far as the site lets the importer say. */
export const AuthorFields = ({
  values,
  by,
  isAdmin,
}: {
  readonly values: FormValues | undefined;
  /** What the operator allows. */
  readonly by: AuthorMapping['by'];
  readonly isAdmin: boolean;
}): VNode => (
  <details class="mb-3 Box p-3" open={Boolean(values)}>
    <summary class="text-bold">{t('form.authors')}</summary>
    <p class="mt-2 color-fg-muted">{t('form.authorsAbout')}</p>
    {by === 'none' && !isAdmin ? null : (
      <SelectField
        name="map_authors"
        label={t('form.map')}
        value={values ? formText(values, 'map_authors') : by}
        options={[
          ['none', t('form.mapNone')],
          ['email', t('form.mapEmail')],
          ...(by === 'name' || isAdmin ? [['name', t('form.mapName')] as const] : []),
        ]}
      />
    )}
    <TextField
      name="authors"
      label={t('form.names')}
      note={isAdmin ? t('form.namesNoteAdmin') : t('form.namesNote')}
      lines={3}
      maxLength={20_000}
      mono
      value={values ? formText(values, 'authors', 20_000) : ''}
    />
  </details>
);
