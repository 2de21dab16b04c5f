import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  Csrf,
  defineRoute,
  formRoute,
  formText,
  icon,
  lastPage,
  listHref,
  Pager,
  PostButton,
  Section,
  TextField,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { SecretNote, Secrets } from '../../contract/secrets.js';
import { t } from '../../texts/index.js';
import { settingsPage, type SettingsLevel } from './level.js';

interface SecretListProps {
  readonly base: string;
  readonly csrf: string;
  readonly items: readonly SecretNote[];
  readonly page: number;
  readonly last: number;
  /** What was sent and refused; never the value. */
  readonly sent?: FormValues;
}

function SecretList({ base, csrf, items, page, last, sent = {} }: SecretListProps): VNode {
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
                  csrf={csrf}
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
          <Csrf token={csrf} />
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

/** Secrets of one level: names, never values. */
export function secretPages<S>(level: SettingsLevel<S>, secrets: Secrets): Route[] {
  const path = `${level.path}/secrets`;
  const { access } = level;
  const baseOf = (context: RouteContext<S>) => `${level.base(context)}/secrets`;
  const show = async (context: RouteContext<S>, sent?: FormValues, flash?: Flash) => {
    const { page, limit, offset } = context.page;
    const { items, total } = await secrets.list(level.scopeOf(context), { limit, offset });
    const props = { base: baseOf(context), csrf: context.csrf, items, page, last: lastPage(total, limit), sent };
    return settingsPage(level, context, 'secrets', <SecretList {...props} />, flash);
  };
  return [
    defineRoute<S>({ method: 'GET', path, surface: 'page', access, handler: (context) => show(context) }),
    formRoute<S>(
      path,
      access,
      async (context, values) => {
        const [name, description] = [formText(values, 'name', 300), formText(values, 'description')];
        await secrets.put(level.scopeOf(context), { name, description, data: valueOf(values, 'data') });
        return `${baseOf(context)}?saved=1`;
      },
      show,
    ),
    formRoute<S>(
      `${path}/delete`,
      access,
      async (context, values) => {
        const name = formText(values, 'name', 300);
        await secrets.remove(level.scopeOf(context), name);
        return listHref(baseOf(context), { deleted: name });
      },
      show,
    ),
  ];
}
