import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  Csrf,
  formText,
  icon,
  listHref,
  Pager,
  PostButton,
  Section,
  TextField,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import type { SecretSummary, Secrets } from '../../contract/secrets.js';
import { t } from '../../texts/index.js';
import { namedListPages, type ListPlace, type NamedListProps } from './named-list.js';

function SecretList({ base, items, page, last, sent = {} }: NamedListProps<SecretSummary>): VNode {
  return (
    <>
      <Section title={t('settings.secrets')}>
        <p class="color-fg-muted">{t('secrets.note')}</p>
        {items.length === 0 ? (
          <Blankslate level={3} icon="lock" title={t('secrets.none')} />
        ) : (
          <ul class="Box list-style-none mb-3">
            {items.map(({ name, description, createdAt }) => (
              <li key={name} class="Box-row d-flex flex-items-center flex-wrap gap-2">
                <div class="list-main min-width-0">
                  <strong class="text-mono wb-break-all">
                    {icon('lock')} {name}
                  </strong>
                  <div class="color-fg-muted f6 wb-break-word">
                    {description ? `${description} · ` : ''}
                    {t.rich('secrets.set', { when: <Ago time={createdAt} /> })}
                  </div>
                </div>
                <PostButton
                  action={`${base}/delete`}
                  fields={{ name }}
                  danger
                  label={t('secrets.deleteOf', { name })}
                  confirm={t('secrets.deleteConfirm', { name })}
                >
                  {t('action.delete')}
                </PostButton>
              </li>
            ))}
          </ul>
        )}
        <Pager page={page} last={last} href={(number) => listHref(base, { page: number })} />
      </Section>
      <Section title={t('secrets.add')}>
        <form method="post" action={base}>
          <Csrf />
          <TextField
            name="name"
            label={t('field.name')}
            value={formText(sent, 'name', 255)}
            required
            mono
            maxLength={255}
            pattern="[A-Za-z_][A-Za-z0-9_]*"
            note={t('secrets.nameNote')}
          />
          <TextField name="data" label={t('field.value')} lines={4} required mono note={t('secrets.valueNote')} />
          <TextField
            name="description"
            label={t('field.description')}
            value={formText(sent, 'description')}
            maxLength={255}
          />
          <button class="btn btn-primary" type="submit">
            {t('secrets.save')}
          </button>
        </form>
      </Section>
    </>
  );
}

/** A value as it was typed, without what forms do to its ends of line. */
const valueOf = (values: FormValues, name: string): string => {
  const given = values[name];
  return (typeof given === 'string' ? given : (given?.[0] ?? '')).replace(/\r\n?/g, '\n');
};

/** Secrets of one place: names, never values. What was refused is shown again without the value. */
export const secretPages = <S,>(place: ListPlace<S>, secrets: Secrets): Route[] =>
  namedListPages(place, {
    key: 'secrets',
    store: secrets,
    save: (scope, values) =>
      secrets.put(scope, {
        name: formText(values, 'name', 300),
        description: formText(values, 'description'),
        data: valueOf(values, 'data'),
      }),
    View: SecretList,
  });
