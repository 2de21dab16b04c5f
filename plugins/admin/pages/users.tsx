import { CheckField, Csrf, NumberField, Pager, Section, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account } from '@mortise/accounts/api';

export interface PageProps {
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const day = (at: number) => (at ? new Date(at).toISOString().slice(0, 10) : 'never');

const Marks = ({ account }: { account: Account }): VNode => (
  <span>
    {account.isAdmin ? <span class="Label Label--accent mr-1">Administrator</span> : null}
    {account.isActive ? null : <span class="Label Label--attention mr-1">Not active</span>}
    {account.prohibitLogin ? <span class="Label Label--danger mr-1">May not sign in</span> : null}
    {account.isRestricted ? <span class="Label mr-1">Restricted</span> : null}
    {account.visibility === 'public' ? null : <span class="Label mr-1">{account.visibility}</span>}
  </span>
);

export interface UserListProps extends PageProps {
  readonly accounts: readonly { readonly account: Account; readonly avatarUrl: string }[];
  readonly total: number;
  readonly text: string;
  readonly page: number;
  readonly pages: number;
}

export function UserList({ accounts, total, text, page, pages, path }: UserListProps): VNode {
  const link = (to: number) => path(`/-/admin/users?page=${to}${text ? `&q=${encodeURIComponent(text)}` : ''}`);
  return (
    <Section
      title={
        <>
          Users <span class="Counter">{total}</span>
        </>
      }
      actions={
        <a class="btn btn-primary" href={path('/-/admin/users/new')}>
          New user
        </a>
      }
    >
      <form method="get" action={path('/-/admin/users')} class="d-flex mb-3">
        <input
          class="form-control flex-auto mr-2"
          type="search"
          name="q"
          value={text}
          placeholder="Name or e-mail address"
          aria-label="Search users"
        />
        <button class="btn" type="submit">
          Search
        </button>
      </form>
      <div class="Box">
        {accounts.length === 0 ? <div class="blankslate">Nobody fits.</div> : null}
        {accounts.map(({ account, avatarUrl }) => (
          <div class="Box-row d-flex flex-items-center" key={account.id}>
            <img class="avatar mr-3" src={avatarUrl} width="32" height="32" alt="" />
            <div class="flex-auto min-width-0">
              <a class="text-bold Link--primary" href={path(`/${account.name}`)}>
                {account.name}
              </a>{' '}
              <span class="color-fg-muted">{account.fullName}</span> <Marks account={account} />
              <div class="f6 color-fg-muted">
                {account.email} · made {day(account.createdAt)} · last signed in {day(account.lastLoginAt)}
              </div>
            </div>
            <a class="btn btn-sm" href={path(`/-/admin/users/${account.id}`)}>
              Edit
            </a>
          </div>
        ))}
      </div>
      <Pager page={page} last={pages} href={link} />
    </Section>
  );
}

export const NewUserForm = ({ csrf, path, given }: PageProps & { given: Readonly<Record<string, string>> }): VNode => (
  <Section title="New user">
    <form method="post" action={path('/-/admin/users/new')}>
      <Csrf token={csrf} />
      <TextField name="username" label="User name" value={given.username} required />
      <TextField name="email" label="E-mail address" type="email" value={given.email} required />
      <TextField name="full_name" label="Full name" value={given.full_name} />
      <TextField name="password" label="Password" type="password" required />
      <CheckField name="must_change_password" label="Has to be changed at the first sign-in" checked />
      <button class="btn btn-primary mt-2" type="submit">
        Make user
      </button>
    </form>
  </Section>
);

export const EditUserForm = ({ account, csrf, path }: PageProps & { account: Account }): VNode => (
  <>
    <Section
      title={
        <>
          {account.name} <Marks account={account} />
        </>
      }
    >
      <form method="post" action={path(`/-/admin/users/${account.id}`)}>
        <Csrf token={csrf} />
        <TextField
          name="username"
          label="User name"
          value={account.name}
          required
          note="After a change the old name leads to the new one."
        />
        <TextField name="full_name" label="Full name" value={account.fullName} />
        <TextField name="email" label="E-mail address" type="email" value={account.email} required />
        <TextField name="password" label="New password" type="password" note="Empty: stays as it is." />
        <CheckField name="admin" label="Administrator" checked={account.isAdmin} />
        <CheckField name="active" label="Active" checked={account.isActive} />
        <CheckField name="prohibit_login" label="May not sign in" checked={account.prohibitLogin} />
        <CheckField
          name="restricted"
          label="Restricted: sees only what was given to it"
          checked={account.isRestricted}
        />
        <CheckField
          name="must_change_password"
          label="Has to change the password"
          checked={account.mustChangePassword}
        />
        <CheckField
          name="allow_create_organization"
          label="May make organizations"
          checked={account.allowCreateOrganization}
        />
        <NumberField
          name="max_repo_creation"
          label="Most repositories"
          min={-1}
          value={account.maxRepoCreation}
          note="-1: as the site says."
        />
        <button class="btn btn-primary" type="submit">
          Save
        </button>
      </form>
    </Section>
    <Section title="Delete" danger>
      <details class="confirm confirm-start">
        <summary class="btn btn-danger">Delete {account.name}</summary>
        <form class="confirm-body" method="post" action={path(`/-/admin/users/${account.id}/delete`)}>
          <Csrf token={csrf} />
          <p>The account does not come back.</p>
          <CheckField name="purge" label="Also everything that the account owns" />
          <button class="btn btn-sm btn-danger mt-2" type="submit">
            Delete {account.name}
          </button>
        </form>
      </details>
    </Section>
  </>
);
