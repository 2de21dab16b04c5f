import type { VNode } from 'preact';
import {
  checkFields,
  Invalid,
  Joi,
  listHref,
  NotFound,
  pageRoute,
  postRoute,
  Problem,
  refusedField,
  reply,
  savedFlash,
  toId,
  type Database,
  type PageOptions,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
  type Slot,
  type Text,
  checkTypedName,
} from '@mortise/plugin-sdk';
import type { Account, AccountMail, Accounts, LoginSources } from '@mortise/accounts/api';
import type { AdminPage } from '../contract/admin.js';
import { sendWelcome } from '../services/welcome.js';
import { EditUserForm, NewUserForm, UserList, userStates, type SentUser, type UserQuery } from './users.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly accountMail: AccountMail;
  readonly adminPage: AdminPage;
  readonly database: Database;
  readonly loginSources: LoginSources;
  readonly site: Site;
  readonly sections: PointReader<Slot<{ readonly account: Account }>>;
  /** Accounts on one page of the list. */
  readonly perPage: number;
}

const textField = Joi.string().allow('').default('');
/** -1: the source of an account that was taken over from a server that did not have it. */
const sourceFields = {
  source_id: Joi.number().integer().min(-1).max(2_000_000_000).default(0),
  login_name: Joi.string().allow('').max(255).default(''),
};
const box = Joi.boolean().default(false);
type Flash = PageOptions['flash'];

interface EditedUser extends SentUser {
  readonly password: string;
}

interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly full_name: string;
  readonly password: string;
  readonly must_change_password: boolean;
  readonly source_id: number;
  readonly login_name: string;
  readonly send_notify: boolean;
}

const access = { actor: 'admin' } as const;

/** Runs a form; a refusal shows the page again with the reason. */
const attempt = async (run: () => Promise<unknown>, again: (flash: Flash, status: number) => unknown) => {
  try {
    return await run();
  } catch (error) {
    if (!Problem.is(error)) throw error;
    return again({ kind: 'error', text: error.text, fields: error.inputs }, error.status);
  }
};

const loginNameOf = (payload: { readonly source_id: number; readonly login_name: string }) => {
  const loginName = payload.login_name.trim();
  if (payload.source_id !== 0 && loginName === '') throw refusedField('login_name', t.later('error.noLoginName'));
  return payload.source_id === 0 ? '' : loginName;
};

/** What these routes share. */
function adminContext(services: Services) {
  const { accounts, accountMail, adminPage, database, loginSources, site, sections, perPage } = services;
  const path = (to: string) => site.path(to);
  const show = ({ actor }: RouteContext, title: Text, body: VNode, flash?: Flash, status?: number) =>
    adminPage({ active: 'users', title, actor, body, flash, status });
  const findUser = async ({ params }: RouteContext<unknown, { readonly id: string | number }>): Promise<Account> => {
    const account = await accounts.byId(toId(params.id));
    if (!account || account.kind !== 'user') throw NotFound('user');
    return account;
  };
  const edit = async (context: RouteContext, account: Account, flash?: Flash, status?: number, sent?: SentUser) => {
    const sources = await loginSources.list();
    const more = await Promise.all(sections.list().map((one) => one.render({ account })));
    return show(
      context,
      account.name,
      <EditUserForm
        account={account}
        sent={sent}
        visibilities={accounts.visibilitiesFor(account)}
        sources={sources}
        sections={more.filter((node): node is VNode => node !== null)}
        path={path}
      />,
      flash,
      status,
    );
  };
  const create = async (context: RouteContext, given: Partial<NewUser>, flash?: Flash, status?: number) => {
    const sources = await loginSources.list();
    const form = <NewUserForm given={given} sources={sources} canNotify={accountMail.isEnabled} path={path} />;
    return show(context, t.later('users.new'), form, flash, status);
  };
  /** The source that an account already has may be one whose plugin is switched off. */
  const checkSource = async (id: number, present = 0) => {
    if (id !== 0 && id !== present && !(await loginSources.byId(id)))
      throw refusedField('source_id', t.later('error.noSource'));
  };
  return {
    loginSources,
    accounts,
    path,
    show,
    create,
    checkSource,
    accountMail,
    site,
    edit,
    found: findUser,
    database,
    perPage,
  };
}

type AdminPageContext = ReturnType<typeof adminContext>;

const userList = ({ loginSources, accounts, path, show, perPage }: AdminPageContext) =>
  pageRoute(
    '/-/admin/users',
    access,
    async (context) => {
      const { q, state, source, login_name: loginName, page, done, deleted } = context.query;
      const sources = await loginSources.list();
      const { items, total } = await accounts.search({
        kind: 'user',
        text: q,
        ...(source !== '' && { sourceId: source }),
        ...(loginName && { loginName }),
        ...(state === 'admin' && { isAdmin: true }),
        ...(state === 'inactive' && { isActive: false }),
        ...(state === 'prohibited' && { prohibitLogin: true }),
        ...(state === 'restricted' && { isRestricted: true }),
        limit: perPage,
        offset: (page - 1) * perPage,
      });
      const shown = items.map((account) => ({ account, avatarUrl: accounts.avatarUrl(account) }));
      const list = (
        <UserList
          accounts={shown}
          total={total}
          query={{ q, state, source: String(source), login_name: loginName }}
          sources={sources}
          page={page}
          pages={Math.ceil(total / perPage)}
          path={path}
        />
      );
      return show(context, t.later('users.title'), list, savedFlash({ saved: done, deleted }));
    },
    {
      query: Joi.object<{
        readonly q: string;
        readonly state: UserQuery['state'];
        readonly source: number | '';
        readonly login_name: string;
        readonly page: number;
        readonly done?: unknown;
        readonly deleted?: string;
      }>({
        q: textField,
        state: Joi.string()
          .valid('', ...userStates)
          .default(''),
        source: Joi.number().integer().min(0).max(2_000_000_000).allow('').default(''),
        login_name: Joi.string().trim().allow('').max(255).default(''),
        page: Joi.number().integer().min(1).default(1),
        done: Joi.any(),
        deleted: Joi.string(),
      }),
    },
  );

const newUserPage = ({ create }: AdminPageContext) =>
  pageRoute('/-/admin/users/new', access, (context) => create(context, {}));

const createUser = ({ accounts, checkSource, accountMail, site, path, create }: AdminPageContext) =>
  postRoute(
    '/-/admin/users/new',
    access,
    (context) =>
      attempt(
        async () => {
          const { username, email, full_name, password, must_change_password, send_notify, source_id } =
            context.payload;
          await checkFields({
            name: () => accounts.checkNewName(username),
            email: () => accounts.checkNewEmail(email),
            source_id: () => checkSource(source_id),
            login_name: () => loginNameOf(context.payload),
            // who belongs to a login source has the password there
            password: () => source_id === 0 && accounts.checkNewPassword(password),
          });
          const account = await accounts.create({
            name: username,
            email,
            fullName: full_name,
            sourceId: source_id,
            loginName: loginNameOf(context.payload),
            password: source_id === 0 ? password : undefined,
            mustChangePassword: source_id === 0 && must_change_password,
          });
          if (send_notify) await sendWelcome(account, accountMail, site);
          return reply.redirect(path('/-/admin/users?done'), 303);
        },
        (flash, status) => create(context, context.payload, flash, status),
      ),
    {
      payload: Joi.object<NewUser>({
        username: textField,
        email: textField,
        full_name: textField,
        password: textField,
        must_change_password: box,
        send_notify: box,
        ...sourceFields,
      }),
    },
  );

const userPage = ({ edit, found }: AdminPageContext) =>
  pageRoute('/-/admin/users/{id}', access, async (context) => edit(context, await found(context)));

const saveUser = ({ found, accounts, checkSource, database, path, edit }: AdminPageContext) =>
  postRoute(
    '/-/admin/users/{id}',
    access,
    async (context) => {
      const account = await found(context);
      const { payload } = context;
      return attempt(
        async () => {
          const isOther = (one: string, now: string) => one.toLowerCase() !== now.toLowerCase();
          await checkFields({
            name: () =>
              isOther(payload.username, account.name)
                ? accounts.checkNewName(payload.username)
                : accounts.checkName(payload.username),
            source_id: () => checkSource(payload.source_id, account.sourceId),
            login_name: () => loginNameOf(payload),
            password: () => payload.password && accounts.checkNewPassword(payload.password),
          });
          const changes = {
            fullName: payload.full_name,
            email: payload.email || undefined,
            sourceId: payload.source_id,
            loginName: loginNameOf(payload),
            password: payload.password || undefined,
            isAdmin: payload.admin,
            isActive: payload.active,
            prohibitLogin: payload.prohibit_login,
            isRestricted: payload.restricted,
            mustChangePassword: payload.must_change_password,
            allowCreateOrganization: payload.allow_create_organization,
            maxRepoCreation: payload.max_repo_creation,
            visibility: payload.visibility,
          };
          // a refused change keeps the name too
          await database.write(async () => {
            if (payload.username !== account.name) await accounts.rename(account.id, payload.username);
            await accounts.update(account.id, changes);
          });
          return reply.redirect(path('/-/admin/users?done'), 303);
        },
        (flash, status) => edit(context, account, flash, status, payload),
      );
    },
    {
      payload: Joi.object<EditedUser>({
        username: textField,
        full_name: Joi.string().allow('').max(100).default(''),
        email: textField,
        password: textField,
        admin: box,
        active: box,
        prohibit_login: box,
        restricted: box,
        must_change_password: box,
        allow_create_organization: box,
        max_repo_creation: Joi.number().integer().min(-1).max(2_000_000_000).default(-1),
        visibility: Joi.string().valid('public', 'limited', 'private'),
        ...sourceFields,
      }),
    },
  );

interface UserDeletion {
  readonly purge: boolean;
  readonly typed_name: string;
}

const deleteUser = ({ found, accounts, path, edit }: AdminPageContext) =>
  postRoute(
    '/-/admin/users/{id}/delete',
    access,
    async (context) => {
      const account = await found(context);
      return attempt(
        async () => {
          if (account.id === context.actor.id) throw Invalid(t.later('error.ownAccount'));
          checkTypedName(context.payload, account.name);
          await accounts.delete(account.id, { purge: context.payload.purge });
          return reply.redirect(listHref(path('/-/admin/users'), { deleted: account.name }), 303);
        },
        (flash, status) => edit(context, account, flash, status),
      );
    },
    { payload: Joi.object<UserDeletion>({ purge: box, typed_name: textField }) },
  );

/** `/-/admin`: accounts, for administrators. */
export function adminPages(deps: Services): readonly Route[] {
  const context = adminContext(deps);
  return [
    userList(context),
    newUserPage(context),
    createUser(context),
    userPage(context),
    saveUser(context),
    deleteUser(context),
  ];
}
