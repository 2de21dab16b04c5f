import {
  Ago,
  Blankslate,
  CheckField,
  Csrf,
  formatNumber,
  listHref,
  NumberField,
  Pager,
  SearchBox,
  Section,
  SelectField,
  TextField,
  type FieldOption,
  TypedName,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, LoginSource, Visibility } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

export interface PageProps {
  readonly path: (path: string) => string;
}

const AccountLabels = ({ account }: { account: Account }): VNode => (
  <span>
    {account.isAdmin ? <span class="Label Label--accent mr-1">{t('mark.admin')}</span> : null}
    {account.isActive ? null : <span class="Label Label--attention mr-1">{t('mark.inactive')}</span>}
    {account.prohibitLogin ? <span class="Label Label--danger mr-1">{t('mark.noSignIn')}</span> : null}
    {account.isRestricted ? <span class="Label mr-1">{t('mark.restricted')}</span> : null}
    {account.visibility === 'public' ? null : <span class="Label mr-1">{t(`visibility.${account.visibility}`)}</span>}
  </span>
);

interface UserListProps extends PageProps {
  readonly accounts: readonly { readonly account: Account; readonly avatarUrl: string }[];
  readonly total: number;
  readonly query: UserQuery;
  readonly sources: readonly LoginSource[];
  readonly page: number;
  readonly pages: number;
}

/** What accounts are narrowed to. */
export const userStates = ['admin', 'inactive', 'prohibited', 'restricted'] as const;
export interface UserQuery {
  readonly q: string;
  readonly state: '' | (typeof userStates)[number];
  /** Number of an authentication source, 0: this site. */
  readonly source: string;
  /** What the account is called at its source. */
  readonly login_name: string;
}

/** Further ways to narrow the list (ADM-09); those by source only where there is one. */
const Filters = ({ query, sources }: Pick<UserListProps, 'query' | 'sources'>): VNode => (
  <>
    <select class="form-select" name="state" aria-label={t('users.state')}>
      <option value="">{t('users.everyState')}</option>
      {userStates.map((state) => (
        <option key={state} value={state} selected={query.state === state}>
          {t(`users.state.${state}`)}
        </option>
      ))}
    </select>
    {sources.length > 0 ? (
      <>
        <select class="form-select" name="source" aria-label={t('users.source')}>
          <option value="">{t('users.everySource')}</option>
          <option value="0" selected={query.source === '0'}>
            {t('users.thisSite')}
          </option>
          {sources.map(({ id, name }) => (
            <option key={id} value={id} selected={query.source === String(id)}>
              {name}
            </option>
          ))}
        </select>
        <input
          class="form-control"
          name="login_name"
          value={query.login_name}
          placeholder={t('user.loginName')}
          aria-label={t('user.loginName')}
        />
      </>
    ) : null}
  </>
);

export function UserList({ accounts, total, query, sources, page, pages, path }: UserListProps): VNode {
  const link = (to: number) => listHref(path('/-/admin/users'), { ...query, page: to });
  return (
    <Section
      title={
        <>
          {t('users.title')} <span class="Counter">{formatNumber(total)}</span>
        </>
      }
      actions={
        <a class="btn btn-primary" href={path('/-/admin/users/new')}>
          {t('users.new')}
        </a>
      }
    >
      <SearchBox
        action={path('/-/admin/users')}
        value={query.q}
        label={t('users.search')}
        placeholder={t('users.searchNote')}
      >
        <Filters query={query} sources={sources} />
      </SearchBox>
      <div class="Box">
        {accounts.length === 0 ? <Blankslate title={t('users.none')} icon="people" plain /> : null}
        {accounts.map(({ account, avatarUrl }) => (
          <div class="Box-row d-flex flex-items-center" key={account.id}>
            <img class="avatar mr-3" src={avatarUrl} width="32" height="32" alt="" />
            <div class="flex-auto min-width-0">
              <a class="text-bold Link--primary" href={path(`/${account.name}`)}>
                {account.name}
              </a>{' '}
              <span class="color-fg-muted">{account.fullName}</span> <AccountLabels account={account} />
              <div class="f6 color-fg-muted">
                {account.email} · {t.rich('users.created', { when: <Ago time={account.createdAt} /> })} ·{' '}
                {account.lastLoginAt
                  ? t.rich('users.signedIn', { when: <Ago time={account.lastLoginAt} /> })
                  : t('users.neverSignedIn')}
              </div>
            </div>
            <a
              class="btn btn-sm"
              href={path(`/-/admin/users/${account.id}`)}
              aria-label={t('users.editOf', { name: account.name })}
            >
              {t('users.edit')}
            </a>
          </div>
        ))}
      </div>
      <Pager page={page} last={pages} href={link} />
    </Section>
  );
}

interface SourceFieldsProps {
  readonly sources: readonly LoginSource[];
  readonly sourceId: number;
  readonly loginName: string;
}

/** One that is gone stays chosen: with another one the account could be signed in to again. */
const sourceOptions = (sources: readonly LoginSource[], chosen: number): (readonly [string, string])[] => [
  ['0', t('user.local')],
  ...sources.map(({ id, name }) => [String(id), name] as const),
  ...(chosen === 0 || sources.some(({ id }) => id === chosen) ? [] : [[String(chosen), t('user.noSource')] as const]),
];

/** Where the password of an account is checked; nothing while there is only one place. */
const SourceFields = ({ sources, sourceId, loginName }: SourceFieldsProps): VNode | null =>
  sources.length === 0 && sourceId === 0 ? null : (
    <>
      <SelectField
        name="source_id"
        label={t('user.source')}
        value={String(sourceId)}
        options={sourceOptions(sources, sourceId)}
      />
      <TextField name="login_name" label={t('user.loginName')} value={loginName} note={t('user.loginNameNote')} />
    </>
  );

export const NewUserForm = ({
  path,
  given,
  sources,
  canNotify,
}: PageProps & {
  sources: readonly LoginSource[];
  /** Mail is on. */
  canNotify: boolean;
  given: {
    readonly source_id?: number;
    readonly login_name?: string;
    readonly username?: string;
    readonly email?: string;
    readonly full_name?: string;
    readonly must_change_password?: boolean;
    readonly send_notify?: boolean;
  };
}): VNode => (
  <Section title={t('users.new')}>
    <form method="post" action={path('/-/admin/users/new')}>
      <Csrf />
      <TextField name="username" input="name" label={t('user.name')} value={given.username} required />
      <TextField name="email" label={t('user.email')} type="email" value={given.email} required />
      <TextField name="full_name" label={t('user.fullName')} value={given.full_name} />
      <SourceFields sources={sources} sourceId={given.source_id ?? 0} loginName={given.login_name ?? ''} />
      {sources.length === 0 ? (
        <TextField name="password" label={t('user.password')} type="password" required />
      ) : (
        <TextField name="password" label={t('user.password')} type="password" note={t('user.sourcePasswordNote')} />
      )}
      <CheckField
        name="must_change_password"
        label={t('user.changeAtFirst')}
        checked={given.username === undefined || given.must_change_password}
      />
      {canNotify ? (
        <CheckField
          name="send_notify"
          label={t('user.notify')}
          checked={given.username === undefined || given.send_notify}
        />
      ) : null}
      <button class="btn btn-primary mt-2" type="submit">
        {t('user.create')}
      </button>
    </form>
  </Section>
);

/** The form as it was sent, when it was refused. */
export interface SentUser {
  readonly username: string;
  readonly full_name: string;
  readonly email: string;
  readonly admin: boolean;
  readonly active: boolean;
  readonly prohibit_login: boolean;
  readonly restricted: boolean;
  readonly must_change_password: boolean;
  readonly allow_create_organization: boolean;
  readonly max_repo_creation: number;
  readonly visibility?: Visibility;
  readonly source_id: number;
  readonly login_name: string;
}

const asSent = (account: Account): SentUser => ({
  username: account.name,
  full_name: account.fullName,
  email: account.email,
  admin: account.isAdmin,
  active: account.isActive,
  prohibit_login: account.prohibitLogin,
  restricted: account.isRestricted,
  must_change_password: account.mustChangePassword,
  allow_create_organization: account.allowCreateOrganization,
  max_repo_creation: account.maxRepoCreation,
  visibility: account.visibility,
  source_id: account.sourceId,
  login_name: account.loginName,
});

export const EditUserForm = ({
  account,
  sent: user = asSent(account),
  visibilities,
  sources,
  sections,
  path,
}: PageProps & {
  account: Account;
  sent?: SentUser | undefined;
  /** Those that may be chosen. */
  visibilities: readonly Visibility[];
  sources: readonly LoginSource[];
  /** Of other plugins. */
  sections: readonly VNode[];
}): VNode => (
  <>
    <Section
      title={
        <>
          {account.name} <AccountLabels account={account} />
        </>
      }
    >
      <form method="post" action={path(`/-/admin/users/${account.id}`)}>
        <Csrf />
        <TextField
          name="username"
          input="name"
          label={t('user.name')}
          value={user.username}
          required
          note={t('user.renameNote')}
        />
        <TextField name="full_name" label={t('user.fullName')} value={user.full_name} />
        <TextField name="email" label={t('user.email')} type="email" value={user.email} required />
        <SourceFields sources={sources} sourceId={user.source_id} loginName={user.login_name} />
        <TextField name="password" label={t('user.newPassword')} type="password" note={t('user.passwordNote')} />
        <SelectField
          name="visibility"
          label={t('user.visibility')}
          value={user.visibility ?? account.visibility}
          options={visibilities.map((one): FieldOption => [one, t(`visibility.${one}`)])}
        />
        <CheckField name="admin" label={t('user.admin')} checked={user.admin} />
        <CheckField name="active" label={t('user.active')} checked={user.active} />
        <CheckField name="prohibit_login" label={t('user.noSignIn')} checked={user.prohibit_login} />
        <CheckField name="restricted" label={t('user.restricted')} checked={user.restricted} />
        <CheckField name="must_change_password" label={t('user.change')} checked={user.must_change_password} />
        <CheckField
          name="allow_create_organization"
          label={t('user.organizations')}
          checked={user.allow_create_organization}
        />
        <NumberField
          name="max_repo_creation"
          label={t('user.maxRepositories')}
          min={-1}
          value={user.max_repo_creation}
          note={t('user.maxRepositoriesNote')}
        />
        <button class="btn btn-primary" type="submit">
          {t('user.save')}
        </button>
      </form>
    </Section>
    {sections}
    <Section title={t('user.danger')} danger>
      <details class="confirm confirm-start">
        <summary class="btn btn-danger">{t('user.delete', { name: account.name })}</summary>
        <form class="confirm-body" method="post" action={path(`/-/admin/users/${account.id}/delete`)}>
          <Csrf />
          <p>{t('user.deleteNote')}</p>
          <CheckField name="purge" label={t('user.purge')} />
          <TypedName name={account.name} />
          <button class="btn btn-sm btn-danger mt-2" type="submit">
            {t('user.delete', { name: account.name })}
          </button>
        </form>
      </details>
    </Section>
  </>
);
