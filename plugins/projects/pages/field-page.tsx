import type { VNode } from 'preact';
import { Csrf, PostButton, SelectField, TextField, type FieldOption as Choice } from '@mortise/plugin-sdk';
import { ruleEvents } from '../api.js';
import { fieldKinds, type FieldValue, type ProjectField, type ProjectRule } from '../contract/fields.js';
import type { ProjectColumn } from '../contract/projects.js';
import { isGroupField } from './board-layout.js';
import { t } from '../texts/index.js';

interface PageProps {
  readonly path: string;
  readonly title: string;
}

/** One option a line; an iteration with its first day and its days. */
const optionLines = ({ kind, options }: ProjectField): string =>
  options
    .map(({ title, startsOn, days }) => (kind === 'iteration' ? `${title} | ${startsOn} | ${days}` : title))
    .join('\n');

const BackLink = ({ path, title }: PageProps): VNode => (
  <p class="mb-2">
    <a href={path} dir="auto">
      {title}
    </a>
  </p>
);

/** The forms by which a board gets fields of its own. */
export const FieldsPage = (props: PageProps & { fields: readonly ProjectField[] }): VNode => {
  const { path, fields } = props;
  return (
    <div>
      <BackLink {...props} />
      <h2 class="f3 mb-3">{t('fields.title')}</h2>
      {fields.map((field) => (
        <section class="Box p-3 mb-3" key={field.id} aria-label={field.name}>
          <form method="post" action={`${path}/fields/${field.id}`}>
            <Csrf />
            <TextField
              name="name"
              id={`field-${field.id}-name`}
              label={`${t('fields.name')} (${t(`fields.kind.${field.kind}`)})`}
              required
              maxLength={100}
              value={field.name}
            />
            {isGroupField(field) ? <Options id={`field-${field.id}-options`} value={optionLines(field)} /> : null}
            <button class="btn btn-sm btn-primary mb-2" type="submit">
              {t('form.save')}
            </button>
          </form>
          <PostButton
            action={`${path}/fields/${field.id}`}
            fields={{ delete: 1 }}
            danger
            label={t('fields.deleteOf', { name: field.name })}
            confirm={t('fields.deleteConfirm', { name: field.name })}
          >
            {t('form.delete')}
          </PostButton>
        </section>
      ))}
      <section class="Box p-3 mb-3" aria-label={t('fields.new')}>
        <h3 class="f5 mb-2">{t('fields.new')}</h3>
        <form method="post" action={`${path}/fields`}>
          <Csrf />
          <TextField name="name" label={t('fields.name')} required maxLength={100} />
          <SelectField
            name="kind"
            label={t('fields.kind')}
            options={fieldKinds.map((kind): Choice => [kind, t(`fields.kind.${kind}`)])}
          />
          <Options id="field-options" value="" />
          <button class="btn btn-sm btn-primary" type="submit">
            {t('fields.create')}
          </button>
        </form>
      </section>
    </div>
  );
};

const Options = ({ id, value }: { id: string; value: string }): VNode => (
  <TextField
    name="options"
    id={id}
    input="options"
    label={t('fields.options')}
    note={t('fields.optionsNote')}
    lines={4}
    value={value}
  />
);

/** By which events cards move by themselves, one rule for each. */
export const RulesPage = (
  props: PageProps & { columns: readonly ProjectColumn[]; rules: readonly ProjectRule[] },
): VNode => (
  <div>
    <BackLink {...props} />
    <h2 class="f3 mb-3">{t('rules.title')}</h2>
    <form method="post" action={`${props.path}/rules`}>
      <Csrf />
      {ruleEvents.map((event) => (
        <SelectField
          key={event}
          name={event}
          label={t(`rules.${event}`)}
          value={String(props.rules.find((rule) => rule.event === event)?.columnId ?? '')}
          options={[
            ['', t('rules.stay')],
            ...props.columns.map(({ id, title }): Choice => [String(id), t('rules.moveTo', { column: title })]),
          ]}
        />
      ))}
      <button class="btn btn-primary" type="submit">
        {t('form.save')}
      </button>
    </form>
  </div>
);

interface ValuesProps {
  readonly action: string;
  readonly query: string;
  readonly fields: readonly ProjectField[];
  readonly values: readonly FieldValue[];
}

const inputTypes = { text: 'text', number: 'text', date: 'date' } as const;

/** What one card has in the fields of its board. */
export const ValuesForm = ({ action, query, fields, values }: ValuesProps): VNode => (
  <form method="post" action={action} class="mt-3">
    <Csrf />
    <input type="hidden" name="action" value="values" />
    <input type="hidden" name="query" value={query} />
    {fields.map((field) => {
      const { id, name, kind, options } = field;
      const value = values.find(({ fieldId }) => fieldId === id);
      return kind === 'single_select' || kind === 'iteration' ? (
        <SelectField
          key={id}
          name={`field-${id}`}
          label={name}
          value={value ? String(value.optionId) : ''}
          options={[['', t('table.none')], ...options.map((one): Choice => [String(one.id), one.title])]}
        />
      ) : (
        <TextField
          key={id}
          name={`field-${id}`}
          label={name}
          type={inputTypes[kind]}
          maxLength={1000}
          short
          value={String(value?.value ?? '')}
        />
      );
    })}
    <button class="btn btn-sm btn-primary" type="submit">
      {t('form.save')}
    </button>
  </form>
);
