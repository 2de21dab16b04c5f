import { defineRoute, Joi, NotFound, reply, type Actor, type Page, type Route } from '@mortise/plugin-sdk';
import {
  anyUserResource,
  listedUserResource,
  userSchema,
  type Account,
  type Accounts,
  type Memberships,
} from '../api.js';
import type { ListOf, Relations } from '../services/relations.js';
import { ownAccount } from './shared.js';

const users = Joi.array().items(userSchema);

/** Following and blocking (account-follow). */
export const relationRoutes = ({
  accounts,
  memberships,
  relations,
}: {
  accounts: Accounts;
  memberships: Memberships;
  relations: Relations;
}): readonly Route[] => {
  const own = { actor: 'user', scope: 'user' } as const;
  const other = { ...own, resource: anyUserResource } as const;
  const show = (found: ListOf<Account>, actor: Actor) =>
    reply.list(
      found.items.map((account) => accounts.toApiUser(account, actor)),
      found.total,
    );
  const check = (holds: boolean) => {
    if (!holds) throw NotFound('relation');
    return reply.none();
  };
  const list = (
    id: string,
    path: string,
    find: (userId: number, page: Page, actor: Actor) => Promise<ListOf<Account>>,
    closed = false,
  ): Route =>
    defineRoute({
      method: 'GET',
      path: `/api/v1/user/${path}`,
      id,
      tags: ['user'],
      summary: `Accounts: ${path}`,
      access: { ...own, noPublicOnly: closed },
      responses: { 200: users },
      handler: async ({ actor, page }) => {
        await ownAccount(accounts, actor);
        return show(await find(actor.id, page, actor), actor);
      },
    });
  const listOf = (
    id: string,
    path: string,
    find: (userId: number, page: Page, actor: Actor) => Promise<ListOf<Account>>,
  ): Route =>
    defineRoute({
      method: 'GET',
      path: `/api/v1/users/{username}/${path}`,
      id,
      tags: ['user'],
      summary: `Accounts of another: ${path}`,
      access: { ...own, resource: listedUserResource },
      responses: { 200: users },
      handler: async ({ actor, resource, page }) => show(await find(resource.id, page, actor), actor),
    });
  /** GET, PUT, DELETE on a relation to `{username}`. */
  const relation = (
    method: 'GET' | 'PUT' | 'DELETE',
    id: string,
    path: string,
    run: (actor: Actor, target: Account, query: { note?: string }) => Promise<unknown>,
    closed = false,
  ): Route =>
    defineRoute({
      method,
      path: `/api/v1/user/${path}/{username}`,
      id,
      tags: ['user'],
      summary: `${method === 'GET' ? 'Is there a relation' : method === 'PUT' ? 'Make a relation' : 'End a relation'}: ${path}`,
      access: { ...other, noPublicOnly: closed },
      request: { query: Joi.object<{ readonly note?: string }>({ note: Joi.string().allow('').max(255) }) },
      responses: { 204: null },
      handler: async ({ actor, resource, query }) => {
        await ownAccount(accounts, actor);
        return (await run(actor, resource, query)) === false ? check(false) : reply.none();
      },
    });

  return [
    list('userCurrentListFollowers', 'followers', (id, page, actor) => relations.followers(id, page, actor)),
    list('userCurrentListFollowing', 'following', (id, page, actor) => relations.following(id, page, actor)),
    list('userListBlocks', 'blocks', (id, page) => relations.blocked(id, page), true),
    listOf('userListFollowers', 'followers', (id, page, actor) => relations.followers(id, page, actor)),
    listOf('userListFollowing', 'following', (id, page, actor) => relations.following(id, page, actor)),
    relation('GET', 'userCurrentCheckFollowing', 'following', (actor, target) =>
      relations.follows(actor.id, target.id),
    ),
    relation('PUT', 'userCurrentPutFollow', 'following', (actor, target) => relations.follow(actor.id, target.id)),
    relation('DELETE', 'userCurrentDeleteFollow', 'following', (actor, target) =>
      relations.unfollow(actor.id, target.id),
    ),
    relation('GET', 'userCheckUserBlock', 'blocks', (actor, target) => accounts.blocks(actor.id, target.id), true),
    relation(
      'PUT',
      'userBlockUser',
      'blocks',
      (actor, target, query) => relations.block(actor.id, target, query.note ?? ''),
      true,
    ),
    relation('DELETE', 'userUnblockUser', 'blocks', (actor, target) => relations.unblock(actor.id, target.id), true),
    defineRoute({
      method: 'GET',
      path: '/api/v1/users/{username}/following/{target}',
      id: 'userCheckFollowing',
      tags: ['user'],
      summary: 'Does one account follow another',
      access: other,
      responses: { 204: null },
      handler: async ({ actor, resource, params }) => {
        const target = await accounts.byName(params.target);
        if (!target) return check(false);
        const isSeen = (await memberships.viewable(actor, [resource, target])).length === 2;
        return check(isSeen && (await relations.follows(resource.id, target.id)));
      },
    }),
  ];
};
