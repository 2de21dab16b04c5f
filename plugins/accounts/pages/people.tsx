import { Pager } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account } from '../api.js';

export interface PeopleProps {
  readonly people: readonly { readonly account: Account; readonly avatarUrl: string }[];
  readonly text: string;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
  readonly path: (path: string) => string;
}

/** A searchable list of people. */
export function People({ people, text, total, page, pages, path }: PeopleProps): VNode {
  const link = (to: number) => path(`/explore/users?page=${to}${text ? `&q=${encodeURIComponent(text)}` : ''}`);
  return (
    <div>
      <h1 class="f2 mb-3">
        Explore people <span class="Counter">{total}</span>
      </h1>
      <nav class="UnderlineNav mb-3" aria-label="Explore">
        <div class="UnderlineNav-body">
          <a class="UnderlineNav-item" href={path('/explore/repos')}>
            Repositories
          </a>
          <a class="UnderlineNav-item" href={path('/explore/users')} aria-current="page">
            People
          </a>
        </div>
      </nav>
      <form method="get" action={path('/explore/users')} class="d-flex mb-3">
        <input
          class="form-control flex-auto mr-2"
          type="search"
          name="q"
          value={text}
          placeholder="Find people"
          aria-label="Find people"
        />
        <button class="btn" type="submit">
          Search
        </button>
      </form>
      {people.length === 0 ? (
        <div class="blankslate border rounded-2">
          <h3 class="blankslate-heading">Nobody fits</h3>
        </div>
      ) : (
        <div class="Box">
          {people.map(({ account, avatarUrl }) => (
            <div class="Box-row d-flex flex-items-center" key={account.id}>
              <img class="avatar mr-3" src={avatarUrl} width="40" height="40" alt="" />
              <div class="flex-auto min-width-0">
                <a class="text-bold" href={path(`/${account.name}`)}>
                  {account.name}
                </a>{' '}
                <span class="color-fg-muted">{account.fullName}</span>
                {account.description ? <div class="f6 color-fg-muted">{account.description}</div> : null}
              </div>
            </div>
          ))}
        </div>
      )}
      <Pager page={page} last={pages} href={link} />
    </div>
  );
}
