import type { VNode } from 'preact';
import {
  checkTypedName,
  Blankslate,
  CheckField,
  Csrf,
  formRoute,
  formStatus,
  formText,
  Joi,
  listHref,
  NotFound,
  pageRoute,
  PostButton,
  postRoute,
  Problem,
  savedFlash,
  Section,
  TextField,
  textOf,
  toId,
  type Flash,
  type FormValues,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import type { LoginSource, LoginSourceKind, LoginSources } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import type { PageProps } from './users.js';
import type { AdminPage } from '../api.js';

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
const LoginSourceList = ({ sources, kinds, path }: ListProps): VNode => (
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
interface SourceValues {
  readonly name: string;
  readonly isActive: boolean;
  readonly isSyncEnabled: boolean;
  readonly skipsSecondFactor: boolean;
  /** Without secrets. */
  readonly settings: Settings;
}

interface FormProps extends PageProps {
  readonly kind: LoginSourceKind;
  readonly shown: SourceValues;
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

const NewLoginSourceForm = ({ kind, shown, path }: FormProps): VNode => (
  <Section title={t('auths.newOf', { type: textOf(kind.label) })}>
    <form method="post" action={path(newHref(kind))}>
      <Csrf />
      <Fields kind={kind} shown={shown} />
      <button class="btn btn-primary mt-2" type="submit">
        {t('auths.new')}
      </button>
    </form>
  </Section>
);

const EditLoginSourceForm = ({ kind, shown, source, path }: FormProps & { readonly source: LoginSource }): VNode => {
  const own = path(`/-/admin/auths/${source.id}`);
  return (
    <>
      <Section title={source.name}>
        <p class="color-fg-muted">{textOf(kind.label)}</p>
        <form method="post" action={own}>
          <Csrf />
          <Fields kind={kind} shown={shown} source={source} />
          <button class="btn btn-primary mt-2" type="submit">
            {t('auths.save')}
          </button>
        </form>
      </Section>
      {kind.tryConnection ? (
        <Section title={t('auths.test')}>
          <p class="color-fg-muted">{t('auths.testNote')}</p>
          <PostButton action={`${own}/test`} class="btn">
            {t('auths.test')}
          </PostButton>
        </Section>
      ) : null}
      <Section title={t('auths.danger')} danger>
        <p>{t('auths.deleteNote')}</p>
        <PostButton
          action={`${own}/delete`}
          danger
          class="btn btn-danger"
          label={t('auths.delete', { name: source.name })}
          confirm={t('auths.deleteNote')}
          formClass="confirm-start"
          typed={source.name}
        >
          {t('auths.delete', { name: source.name })}
        </PostButton>
      </Section>
    </>
  );
};

interface Services {
  readonly adminPage: AdminPage;
  readonly loginSources: LoginSources;
  readonly kinds: PointReader<LoginSourceKind>;
  readonly site: Site;
}

const home = '/-/admin/auths';
const prefix = 'settings.';
/** Of one setting; a map of groups is the longest. */
const maxSetting = 65_536;
const params = Joi.object<{ readonly id: number }>({ id: Joi.number().integer().min(1).required() });

const isTicked = (values: FormValues, name: string): boolean => formText(values, name) === 'true';

/** What was typed, as it is: a password may begin with a space. */
const rawText = (value: FormValues[string]): string =>
  ((typeof value === 'string' ? value : value?.[0]) ?? '').slice(0, maxSetting);

const settingsOf = (values: FormValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), rawText(value)]),
  );

const sentOf = (values: FormValues): SourceValues => ({
  name: formText(values, 'name'),
  isActive: isTicked(values, 'is_active'),
  isSyncEnabled: isTicked(values, 'is_sync_enabled'),
  skipsSecondFactor: isTicked(values, 'skips_second_factor'),
  settings: settingsOf(values),
});

/** The form never gets a secret. */
const shownOf = (kind: LoginSourceKind, source: SourceValues): SourceValues => ({
  ...source,
  settings: Object.fromEntries(Object.entries(source.settings).filter(([name]) => !kind.secrets?.includes(name))),
});

/** What the directory or the network says is plain text. */
const failure = (reason: Text) => t.later('auths.fails', { reason: () => textOf(reason) });

const access = { actor: 'admin' } as const;

/** What these routes share. */
function loginSourceContext({ adminPage, loginSources, kinds, site }: Services) {
  const path = (to: string) => site.path(to);
  const show = ({ actor }: Pick<RouteContext, 'actor'>, title: Text, body: VNode, flash?: Flash) =>
    adminPage({ active: 'auths', title, actor, body, flash, status: formStatus(flash) });
  const findSource = async (given: { readonly params: unknown }): Promise<LoginSource> => {
    const source = await loginSources.byId(toId((given.params as { readonly id: unknown }).id));
    if (!source) throw NotFound('login source');
    return source;
  };
  const kindOf = (key: unknown): LoginSourceKind => {
    const kind = typeof key === 'string' ? kinds.get(key) : undefined;
    if (!kind) throw NotFound('login source');
    return kind;
  };
  const create = (context: Pick<RouteContext, 'actor' | 'query'>, sent?: SourceValues, flash?: Flash) => {
    const kind = kindOf((context.query as { readonly type?: unknown }).type);
    const settings = (kind.schema.validate({}, { abortEarly: false }).value ?? {}) as Record<string, unknown>;
    const empty = { name: '', isActive: true, isSyncEnabled: false, skipsSecondFactor: false, settings };
    const shown = shownOf(kind, sent ?? empty);
    const form = <NewLoginSourceForm kind={kind} shown={shown} path={path} />;
    return show(context, t.later('auths.new'), form, flash);
  };
  const edit = (
    context: Pick<RouteContext, 'actor'>,
    source: LoginSource,
    flash?: Flash,
    sent: SourceValues = source,
  ) => {
    const kind = kindOf(source.kind);
    const shown = shownOf(kind, sent);
    const form = <EditLoginSourceForm kind={kind} shown={shown} source={source} path={path} />;
    return show(context, source.name, form, flash);
  };
  return { loginSources, kinds, path, show, create, kindOf, edit, found: findSource };
}

type LoginSourcePageContext = ReturnType<typeof loginSourceContext>;

const loginSourceList = ({ loginSources, kinds, path, show }: LoginSourcePageContext) =>
  pageRoute(home, access, async (context) => {
    const list = <LoginSourceList sources={await loginSources.list()} kinds={kinds.list()} path={path} />;
    return show(context, t.later('auths.title'), list, savedFlash(context.query));
  });

const createLoginSource = ({ kindOf, loginSources, path, create }: LoginSourcePageContext) =>
  formRoute(
    `${home}/new`,
    access,
    async ({ query }, values) => {
      const kind = kindOf((query as { readonly type?: unknown }).type);
      await loginSources.create({ kind: kind.key, ...sentOf(values) });
      return path(`${home}?saved`);
    },
    (context, values, flash) => create(context, sentOf(values), flash),
  );

const loginSourcePage = ({ edit, found }: LoginSourcePageContext) =>
  pageRoute(`${home}/{id}`, access, async (context) => edit(context, await found(context), savedFlash(context.query)), {
    params,
  });

const saveLoginSource = ({ found, loginSources, path, edit }: LoginSourcePageContext) =>
  formRoute(
    `${home}/{id}`,
    access,
    async (context, values) => {
      const source = await found(context);
      await loginSources.update(source.id, sentOf(values));
      return path(`${home}/${source.id}?saved`);
    },
    async (context, values, flash) => edit(context, await found(context), flash, sentOf(values)),
  );

const testLoginSource = ({ found, kindOf, edit }: LoginSourcePageContext) =>
  postRoute(
    `${home}/{id}/test`,
    access,
    async (context) => {
      const source = await found(context);
      const kind = kindOf(source.kind);
      if (!kind.tryConnection) throw NotFound('login source');
      try {
        await kind.tryConnection(source);
      } catch (error) {
        const reason = Problem.is(error) ? error.text : (error as Error).message;
        return edit(context, source, { kind: 'error', text: failure(reason) });
      }
      return edit(context, source, { kind: 'success', text: t.later('auths.works') });
    },
    { params },
  );

const deleteLoginSource = ({ found, loginSources, path, edit }: LoginSourcePageContext) =>
  formRoute(
    `${home}/{id}/delete`,
    access,
    async (context, values) => {
      const source = await found(context);
      checkTypedName(values, source.name);
      await loginSources.delete(source.id);
      return listHref(path(home), { deleted: source.name });
    },
    async (context, _values, flash) => edit(context, await found(context), flash),
  );

/** `/-/admin/auths`: where people come from who have no password here. */
export function loginSourcePages(deps: Services): readonly Route[] {
  const context = loginSourceContext(deps);
  const { create } = context;
  return [
    loginSourceList(context),
    pageRoute(`${home}/new`, access, (context) => create(context)),
    createLoginSource(context),
    loginSourcePage(context),
    saveLoginSource(context),
    testLoginSource(context),
    deleteLoginSource(context),
  ];
}
