import type { VNode } from 'preact';
import {
  Blankslate,
  Csrf,
  formText,
  icon,
  listHref,
  Pager,
  PostButton,
  Section,
  TextField,
  type Route,
} from '@mortise/plugin-sdk';
import type { Variable, Variables } from '../../contract/secrets.js';
import { t } from '../../texts/index.js';
import { namedListPages, type ListPlace, type NamedListProps } from './named-list.js';

interface VariableFieldsProps {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

const VariableFields = ({ id, name, value, description }: VariableFieldsProps): VNode => (
  <>
    <TextField
      id={`${id}-name`}
      name="name"
      label={t('field.name')}
      value={name}
      required
      mono
      maxLength={255}
      pattern="[A-Za-z_][A-Za-z0-9_]*"
      note={t('secrets.nameNote')}
    />
    <TextField id={`${id}-value`} name="value" label={t('field.value')} value={value} lines={3} mono />
    <TextField
      id={`${id}-description`}
      name="description"
      label={t('field.description')}
      value={description}
      maxLength={255}
    />
    <button class="btn btn-primary" type="submit">
      {t('variables.save')}
    </button>
  </>
);

function VariableList({ base, items, page, last, sent = {} }: NamedListProps<Variable>): VNode {
  const edited = formText(sent, 'before', 300);
  const isNew = !edited;
  return (
    <>
      <Section title={t('settings.variables')}>
        <p class="color-fg-muted">{t('variables.note')}</p>
        {items.length === 0 ? <Blankslate level={3} icon="pencil" title={t('variables.none')} /> : null}
        {items.length > 0 ? (
          <ul class="Box list-style-none mb-3">
            {items.map((one) => (
              <li key={one.name} class="Box-row">
                <div class="d-flex flex-items-center flex-wrap gap-2">
                  <div class="list-main min-width-0">
                    <strong class="text-mono wb-break-all">{one.name}</strong>
                    <div class="text-mono f6 wb-break-word">{one.value.slice(0, 300)}</div>
                    {one.description ? <div class="color-fg-muted f6 wb-break-word">{one.description}</div> : null}
                  </div>
                  <PostButton
                    action={`${base}/delete`}
                    fields={{ name: one.name }}
                    danger
                    label={t('secrets.deleteOf', { name: one.name })}
                    confirm={t('secrets.deleteConfirm', { name: one.name })}
                  >
                    {t('action.delete')}
                  </PostButton>
                </div>
                <details class="mt-2" open={edited === one.name}>
                  <summary class="color-fg-muted f6" aria-label={t('variables.editOf', { name: one.name })}>
                    {icon('pencil')} {t('variables.edit')}
                  </summary>
                  <form method="post" action={base} class="mt-2">
                    <Csrf />
                    <input type="hidden" name="before" value={one.name} />
                    <VariableFields id={`variable-${one.name}`} {...one} />
                  </form>
                </details>
              </li>
            ))}
          </ul>
        ) : null}
        <Pager page={page} last={last} href={(number) => listHref(base, { page: number })} />
      </Section>
      <Section title={t('variables.add')}>
        <form method="post" action={base}>
          <Csrf />
          <VariableFields
            id="field"
            name={isNew ? formText(sent, 'name', 255) : ''}
            value={isNew ? formText(sent, 'value', 65_536) : ''}
            description={isNew ? formText(sent, 'description') : ''}
          />
        </form>
      </Section>
    </>
  );
}

/** Variables of one place. */
export const variablePages = <S,>(place: ListPlace<S>, variables: Variables): Route[] =>
  namedListPages(place, {
    key: 'variables',
    store: variables,
    async save(scope, values) {
      const before = formText(values, 'before', 300);
      const variable = {
        name: formText(values, 'name', 300),
        value: formText(values, 'value', 70_000),
        description: formText(values, 'description'),
      };
      if (before) await variables.update(scope, before, variable);
      else await variables.create(scope, variable);
    },
    View: VariableList,
  });
