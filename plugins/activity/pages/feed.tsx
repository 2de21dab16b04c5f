import type { VNode } from 'preact';
import { Ago, icon } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { Activity } from '../api.js';
import { describe, saysNothing, type Piece } from '../services/describe.js';

interface Services {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly path: (path: string) => string;
}

const Sentence = ({ pieces }: { pieces: readonly Piece[] }): VNode => (
  <span>
    {pieces.map((piece, index) =>
      typeof piece === 'string' ? (
        piece
      ) : (
        <a key={index} class="text-bold Link--primary" href={piece.href}>
          {piece.text}
        </a>
      ),
    )}
  </span>
);

function Person({ account, services }: { account: Account; services: Services }): VNode {
  return (
    <a class="text-bold Link--primary" href={services.path(`/${account.name}`)}>
      {account.name}
    </a>
  );
}

/** Entries as a list; `empty` is said when there are none. */
export async function feedList(activities: readonly Activity[], services: Services, empty: string): Promise<VNode> {
  const { accounts, repositories } = services;
  const people = await accounts.byIds([...new Set(activities.map((one) => one.actorId))]);
  const found = await repositories.byIds([...new Set(activities.map((one) => one.repositoryId))]);
  if (activities.length === 0)
    return (
      <div class="blankslate border rounded-2">
        <p class="mb-0">{empty}</p>
      </div>
    );
  return (
    <ol class="Box list-style-none">
      {activities.map((one) => {
        const account = people.get(one.actorId);
        const repository = found.get(one.repositoryId);
        if (!account || !repository || saysNothing(one)) return null;
        const base = services.path(`/${repository.ownerName}/${repository.name}`);
        const told = describe(one, repository, base);
        return (
          <li class="Box-row d-flex" key={one.id}>
            <img
              class="avatar avatar-user mr-2 flex-shrink-0"
              src={accounts.avatarUrl(account)}
              width={32}
              height={32}
              alt=""
            />
            <div class="flex-auto min-width-0 wb-break-word">
              <div>
                <Person account={account} services={services} /> <Sentence pieces={told.sentence} />{' '}
                {one.isPrivate ? <span class="Label Label--secondary">Private</span> : null}
              </div>
              {told.quote ? <div class="color-fg-muted">{told.quote}</div> : null}
              {told.commits.length > 0 ? (
                <ul class="list-style-none mt-1">
                  {told.commits.map((commit) => (
                    <li key={commit.Sha1} class="f6 css-truncate css-truncate-overflow width-full">
                      <a class="text-mono" href={`${base}/commit/${commit.Sha1}`}>
                        {commit.Sha1.slice(0, 10)}
                      </a>{' '}
                      {commit.Message.split('\n', 1)[0]}
                    </li>
                  ))}
                  {told.more > 0 ? (
                    <li class="f6">
                      <a href={told.href}>{`${told.more} more commit${told.more === 1 ? '' : 's'}`}</a>
                    </li>
                  ) : null}
                </ul>
              ) : null}
              <div class="f6 color-fg-muted">
                <Ago time={one.createdAt} />
              </div>
            </div>
            <span class="color-fg-muted ml-2">{icon(told.icon)}</span>
          </li>
        );
      })}
    </ol>
  );
}
