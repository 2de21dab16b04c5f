import type { VNode } from 'preact';
import { Blankslate, CheckField, Csrf, PostButton, Section, TextField, textOf } from '@mortise/plugin-sdk';
import type { LoginSource, LoginSourceKind } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import type { PageProps } from './users.js';

type Settings = Readonly<Record<string, unknown>>;

const newHref = (kind: LoginSourceKind) => `/-/admin/auths/new?type=${encodeURIComponent(kind.key)}`;

interface ListProps extends PageProps {
  readonly sources: readonly LoginSource[];
  readonly kinds: readonly LoginSourceKind[];
}

const AddButtons = ({ kinds, path }: Pick<ListProps, 'kinds' | 'path'>): VNode => (
  <div class="d-flex flex-wrap gap-2">
    {kinds.map((kind) => (
      <a class="btn btn-primary" href={path(newHref(kind))} key={kind.key}>
        {t('auths.newOf', { type: textOf(kind.label) })}
      </a>
    ))}
  </div>
);

/** Directories and providers that know people, by name. */
export const LoginSourceList = ({ sources, kinds, path }: ListProps): VNode => (
  <Section title={t('auths.title')} actions={<AddButtons kinds={kinds} path={path} />}>
    {kinds.length === 0 ? <p class="color-fg-muted">{t('auths.noKinds')}</p> : null}
    <div class="Box">
      {sources.length === 0 ? (
        <Blankslate title={t('auths.none')} icon="shield-lock" level={3} plain>
          <p>{t('auths.noneText')}</p>
        </Blankslate>
      ) : null}
      {sources.map((source) => (
        <div class="Box-row d-flex flex-items-center" key={source.id}>
          <div class="flex-auto min-width-0">
            <a class="text-bold Link--primary" href={path(`/-/admin/auths/${source.id}`)}>
              {source.name}
            </a>{' '}
            {source.isActive ? (
              <span class="Label Label--success">{t('auths.active')}</span>
            ) : (
              <span class="Label">{t('auths.inactive')}</span>
            )}{' '}
            {source.isSyncEnabled ? <span class="Label">{t('auths.synchronized')}</span> : null}
            <div class="f6 color-fg-muted">
              {textOf(kinds.find(({ key }) => key === source.kind)?.label ?? source.kind)}
            </div>
          </div>
          <a
            class="btn btn-sm"
            href={path(`/-/admin/auths/${source.id}`)}
            aria-label={t('auths.editOf', { name: source.name })}
          >
            {t('users.edit')}
          </a>
        </div>
      ))}
    </div>
  </Section>
);

/** What the form shows of a source: as it is stored, or as it was sent. */
export interface ShownSource {
  readonly name: string;
  readonly isActive: boolean;
  readonly isSyncEnabled: boolean;
  readonly skipsSecondFactor: boolean;
  /** Without secrets. */
  readonly settings: Settings;
}

interface FormProps extends PageProps {
  readonly kind: LoginSourceKind;
  readonly shown: ShownSource;
  /** Absent: a new one. */
  readonly source?: LoginSource | undefined;
}

/** Texts of the kind are made while the page is rendered. */
const KindFields = ({ kind, settings, isNew }: { kind: LoginSourceKind; settings: Settings; isNew: boolean }): VNode =>
  kind.fields({ settings, isNew });

const Fields = ({ kind, shown, source }: Pick<FormProps, 'kind' | 'shown' | 'source'>): VNode => (
  <>
    <TextField name="name" label={t('auths.name')} value={shown.name} required maxLength={100} />
    <KindFields kind={kind} settings={shown.settings} isNew={source === undefined} />
    <CheckField name="is_active" label={t('auths.isActive')} checked={shown.isActive} />
    {kind.users ? (
      <CheckField name="is_sync_enabled" label={t('auths.isSyncEnabled')} checked={shown.isSyncEnabled} />
    ) : null}
    <CheckField name="skips_second_factor" label={t('auths.skipsSecondFactor')} checked={shown.skipsSecondFactor} />
  </>
);

export const NewLoginSourceForm = ({ kind, shown, csrf, path }: FormProps): VNode => (
  <Section title={t('auths.newOf', { type: textOf(kind.label) })}>
    <form method="post" action={path(newHref(kind))}>
      <Csrf token={csrf} />
      <Fields kind={kind} shown={shown} />
      <button class="btn btn-primary mt-2" type="submit">
        {t('auths.new')}
      </button>
    </form>
  </Section>
);

export const EditLoginSourceForm = ({
  kind,
  shown,
  source,
  csrf,
  path,
}: FormProps & { readonly source: LoginSource }): VNode => {
  const own = path(`/-/admin/auths/${source.id}`);
  return (
    <>
      <Section title={source.name}>
        <p class="color-fg-muted">{textOf(kind.label)}</p>
        <form method="post" action={own}>
          <Csrf token={csrf} />
          <Fields kind={kind} shown={shown} source={source} />
          <button class="btn btn-primary mt-2" type="submit">
            {t('auths.save')}
          </button>
        </form>
      </Section>
      {kind.tryConnection ? (
        <Section title={t('auths.test')}>
          <p class="color-fg-muted">{t('auths.testNote')}</p>
          <PostButton action={`${own}/test`} csrf={csrf} class="btn">
            {t('auths.test')}
          </PostButton>
        </Section>
      ) : null}
      <Section title={t('auths.danger')} danger>
        <p>{t('auths.deleteNote')}</p>
        <PostButton
          action={`${own}/delete`}
          csrf={csrf}
          danger
          class="btn btn-danger"
          label={t('auths.delete', { name: source.name })}
          confirm={t('auths.deleteNote')}
        >
          {t('auths.delete', { name: source.name })}
        </PostButton>
      </Section>
    </>
  );
};
