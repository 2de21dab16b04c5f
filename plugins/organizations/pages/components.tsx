import type { ComponentChildren, VNode } from 'preact';
import type { Account, Accounts, Visibility } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

/** Path of a page with the sub-path of the site. */
export type PathOf = (path: string) => string;

/** Of an organization's pages below its name. */
export const organizationBase = (path: PathOf, { name }: Pick<Account, 'name'>): string =>
  path(`/org/${encodeURIComponent(name)}`);
export const teamBase = (path: PathOf, organization: Pick<Account, 'name'>, name: string): string =>
  `${organizationBase(path, organization)}/teams/${encodeURIComponent(name.toLowerCase())}`;

/** An account and its picture. */
export interface UserView {
  readonly account: Account;
  readonly avatarUrl: string;
}
export const userViewOf =
  (accounts: Pick<Accounts, 'avatarUrl'>) =>
  (account: Account): UserView => ({ account, avatarUrl: accounts.avatarUrl(account) });

interface UserRowProps extends UserView {
  readonly path: PathOf;
  /** Beside the names. */
  readonly marks?: ComponentChildren;
  /** Below the names. */
  readonly note?: ComponentChildren;
  /** At the end of the row. */
  readonly children?: ComponentChildren;
}

/** An account in a list: picture, names, and what can be done. */
export const UserRow = ({ account, avatarUrl, path, marks, note, children }: UserRowProps): VNode => (
  <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
    <img class="avatar" src={avatarUrl} width="32" height="32" alt="" />
    <div class="list-main">
      <a class="text-bold" href={path(`/${account.name}`)}>
        {account.name}
      </a>{' '}
      <span class="color-fg-muted wb-break-word">{account.fullName}</span> {marks}
      {note ? <div class="f6 color-fg-muted wb-break-word">{note}</div> : null}
    </div>
    {children}
  </li>
);

/** Says who sees it, where that is not everybody. */
export const VisibilityLabel = ({ of }: { of: Visibility }): VNode | null =>
  of === 'public' ? null : <span class="Label">{t(`visibility.${of}`)}</span>;
