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
import { ownAccount } from './own-account.js';

const users = Joi.array().items(userSchema);

type RelationRouteDeps = {
  accounts: Accounts;
  memberships: Memberships;
  relations: Relations;
};

const own = { actor: 'user', scope: 'user' } as const;

const other = { ...own, resource: anyUserResource } as const;

const check = (holds: boolean) => {
  if (!holds) throw NotFound('relation');
  return reply.none();
};

/** What these routes share. */
function relationContext({ accounts, memberships, relations }: RelationRouteDeps) {
  const show = (found: ListOf<Account>, actor: Actor) =>
    reply.list(
      found.items.map((account) => accounts.toApiUser(account, actor)),
      found.total,
    );
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
  return { list, relations, listOf, relation, accounts, memberships };
}

type RelationRouteContext = ReturnType<typeof relationContext>;

const checkFollowing = ({ relation, relations }: RelationRouteContext) =>
  relation('GET', 'userCurrentCheckFollowing', 'following', (actor, target) => relations.follows(actor.id, target.id));

const unfollowUser = ({ relation, relations }: RelationRouteContext) =>
  relation('DELETE', 'userCurrentDeleteFollow', 'following', (actor, target) =>
    relations.unfollow(actor.id, target.id),
  );

const blockUser = ({ relation, relations }: RelationRouteContext) =>
  relation(
    'PUT',
    'userBlockUser',
    'blocks',
    (actor, target, query) => relations.block(actor.id, target, query.note ?? ''),
    true,
  );

const userCheckFollowing = ({ accounts, memberships, relations }: RelationRouteContext) =>
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
  });

/** Following and blocking (account-follow). */
export function relationRoutes(deps: RelationRouteDeps): readonly Route[] {
  const context = relationContext(deps);
  const { list, relations, listOf, relation, accounts } = context;
  return [
    list('userCurrentListFollowers', 'followers', (id, page, actor) => relations.followers(id, page, actor)),
    list('userCurrentListFollowing', 'following', (id, page, actor) => relations.following(id, page, actor)),
    list('userListBlocks', 'blocks', (id, page) => relations.blocked(id, page), true),
    listOf('userListFollowers', 'followers', (id, page, actor) => relations.followers(id, page, actor)),
    listOf('userListFollowing', 'following', (id, page, actor) => relations.following(id, page, actor)),
    checkFollowing(context),
    relation('PUT', 'userCurrentPutFollow', 'following', (actor, target) => relations.follow(actor.id, target.id)),
    unfollowUser(context),
    relation('GET', 'userCheckUserBlock', 'blocks', (actor, target) => accounts.blocks(actor.id, target.id), true),
    blockUser(context),
    relation('DELETE', 'userUnblockUser', 'blocks', (actor, target) => relations.unblock(actor.id, target.id), true),
    userCheckFollowing(context),
  ];
}
