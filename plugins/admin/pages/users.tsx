import { Csrf, Pager } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account } from '@mortise/accounts/api';

export interface PageProps {
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const day = (at: number) => (at ? new Date(at).toISOString().slice(0, 10) : 'never');

const Field = ({
  name,
  label,
  value,
  type = 'text',
  required,
  note,
}: {
  name: string;
  label: string;
  value?: string;
  type?: string;
  required?: boolean;
  note?: string;
}): VNode => (
  <div class="form-group">
    <div class="form-group-header">
      <label for={`user-${name}`}>{label}</label>
    </div>
    <div class="form-group-body">
      <input
        class="form-control width-full"
        id={`user-${name}`}
        name={name}
        type={type}
        value={value ?? ''}
        required={required}
        autocomplete="off"
      />
      {note ? <p class="note">{note}</p> : null}
    </div>
  </div>
);

const Flag = ({ name, label, checked }: { name: string; label: string; checked?: boolean }): VNode => (
  <div class="form-checkbox">
    <label>
      <input type="checkbox" name={name} value="true" checked={checked} /> {label}
    </label>
  </div>
);

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
    <div>
      <div class="Subhead">
        <h2 class="Subhead-heading">
          Users <span class="Counter">{total}</span>
        </h2>
        <a class="btn btn-primary" href={path('/-/admin/users/new')}>
          New user
        </a>
      </div>
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
    </div>
  );
}

export const NewUserForm = ({ csrf, path, given }: PageProps & { given: Readonly<Record<string, string>> }): VNode => (
  <div>
    <div class="Subhead">
      <h2 class="Subhead-heading">New user</h2>
    </div>
    <form method="post" action={path('/-/admin/users/new')}>
      <Csrf token={csrf} />
      <Field name="username" label="User name" value={given.username} required />
      <Field name="email" label="E-mail address" type="email" value={given.email} required />
      <Field name="full_name" label="Full name" value={given.full_name} />
      <Field name="password" label="Password" type="password" required />
      <Flag name="must_change_password" label="Has to be changed at the first sign-in" checked />
      <button class="btn btn-primary" type="submit">
        Make user
      </button>
    </form>
  </div>
);

export const EditUserForm = ({ account, csrf, path }: PageProps & { account: Account }): VNode => (
  <div>
    <div class="Subhead">
      <h2 class="Subhead-heading">
        {account.name} <Marks account={account} />
      </h2>
    </div>
    <form method="post" action={path(`/-/admin/users/${account.id}`)} class="mb-5">
      <Csrf token={csrf} />
      <Field
        name="username"
        label="User name"
        value={account.name}
        required
        note="After a change the old name leads to the new one."
      />
      <Field name="full_name" label="Full name" value={account.fullName} />
      <Field name="email" label="E-mail address" type="email" value={account.email} required />
      <Field name="password" label="New password" type="password" note="Empty: stays as it is." />
      <Flag name="admin" label="Administrator" checked={account.isAdmin} />
      <Flag name="active" label="Active" checked={account.isActive} />
      <Flag name="prohibit_login" label="May not sign in" checked={account.prohibitLogin} />
      <Flag name="restricted" label="Restricted: sees only what was given to it" checked={account.isRestricted} />
      <Flag name="must_change_password" label="Has to change the password" checked={account.mustChangePassword} />
      <Flag name="allow_create_organization" label="May make organizations" checked={account.allowCreateOrganization} />
      <Field
        name="max_repo_creation"
        label="Most repositories"
        type="number"
        value={String(account.maxRepoCreation)}
        note="-1: as the site says."
      />
      <button class="btn btn-primary" type="submit">
        Save
      </button>
    </form>
    <div class="Subhead">
      <h2 class="Subhead-heading Subhead-heading--danger">Delete</h2>
    </div>
    <form method="post" action={path(`/-/admin/users/${account.id}/delete`)}>
      <Csrf token={csrf} />
      <Flag name="purge" label="Also everything that the account owns" />
      <button class="btn btn-danger" type="submit">
        Delete {account.name}
      </button>
    </form>
  </div>
);
