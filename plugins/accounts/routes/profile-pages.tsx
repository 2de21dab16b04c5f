import {
  defineRoute,
  Joi,
  lastPage,
  reply,
  webPage,
  type NavigationItem,
  type PointReader,
  type Route,
  type RawQuery,
  type RouteContext,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import {
  userResource,
  type Account,
  type Accounts,
  type ProfileIntroduction,
  type ProfilePage,
  type ProfileProps,
  type ProfileTab,
  type PublicKeys,
} from '../api.js';
import { UserSearch, RelatedUsers } from '../pages/users.js';
import { ProfileView } from '../pages/profile.js';
import type { Relations } from '../services/relations.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly relations: Relations;
  readonly site: Site;
}

const pageSize = 30;
/** What a query says once; a name that is given several times is left out. */
const singleValues = (query: RawQuery): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
const pageNumber = Joi.number().integer().min(1).max(100_000).default(1).failover(1);

/** Lists behind the numbers beside the picture, `/{username}?tab={key}`. */
const related = ['followers', 'following'] as const;
type Related = (typeof related)[number];
const isRelated = (tab: string | undefined): tab is Related => related.some((one) => one === tab);

/** `/{username}`: the public page of an account, made of tabs that plugins contribute. */
export const profilePageRoutes =
  ({
    tabs,
    details,
    introductions,
    pages,
    explore,
  }: {
    readonly tabs: PointReader<ProfileTab>;
    readonly details: PointReader<Slot<ProfileProps>>;
    readonly introductions: PointReader<ProfileIntroduction>;
    readonly pages: PointReader<ProfilePage>;
    readonly explore: PointReader<NavigationItem>;
  }) =>
  ({ accounts, publicKeys, relations, site }: Services): readonly Route[] => {
    const access = { actor: 'anyone', resource: userResource } as const;
    const path = (to: string) => site.path(to);

    const follow = (word: 'follow' | 'unfollow'): Route =>
      defineRoute({
        method: 'POST',
        path: `/{username}/-/${word}`,
        access: { actor: 'user', resource: userResource },
        payload: { as: 'form' },
        handler: async ({ actor, resource }) => {
          await relations[word](actor.id, resource.id);
          return reply.redirect(path(`/${resource.name}`), 303);
        },
      });

    const picture = (address: string): Route =>
      defineRoute({
        method: 'GET',
        path: address,
        surface: 'protocol',
        access: { actor: 'anyone', resource: userResource },
        handler: ({ resource }) => reply.redirect(accounts.avatarUrl(resource), 303),
      });

    const users = (found: readonly Account[]) =>
      found.map((account) => ({ account, avatarUrl: accounts.avatarUrl(account) }));
    /** The same users as the API names to this actor. */
    const relatedUsers = async (key: Related, context: RouteContext<Account, unknown, RawQuery>) => {
      const { actor, resource, query } = context;
      const { value: page } = pageNumber.validate(query.page);
      const { items, total } = await relations[key](
        resource.id,
        { limit: pageSize, offset: (page - 1) * pageSize },
        actor,
      );
      return (
        <RelatedUsers
          list={key}
          name={resource.name}
          users={users(items)}
          total={total}
          page={page}
          path={path}
          last={lastPage(total, pageSize)}
          href={(to) => path(`/${resource.name}?tab=${key}&page=${to}`)}
        />
      );
    };

    /** With what the page needs for it. */
    const introduce = async (props: ProfileProps, isShown: boolean) => {
      const shown = isShown
        ? await Promise.all(introductions.list().map(async (one) => ({ one, body: await one.render(props) })))
        : [];
      return {
        introduction: shown.flatMap(({ body }) => body ?? []),
        islands: shown.flatMap(({ one, body }) => (body ? [...(one.islands ?? [])] : [])),
      };
    };

    return [
      defineRoute({
        method: 'GET',
        path: '/{username}',
        access,
        handler: async (context) => {
          const { actor, resource, csrf } = context;
          const query = singleValues(context.query);
          const props: ProfileProps = { account: resource, actor, csrf, query };
          const own = pages.list().find((page) => page.kind === resource.kind);
          const visible = tabs.list().filter((tab) => tab.visible?.(props) ?? true);
          const wanted: string | undefined = query.tab;
          const listed = !own && isRelated(wanted) ? wanted : undefined;
          const active = listed ? undefined : (visible.find((tab) => tab.key === wanted) ?? visible[0]);
          const { introduction, islands } = await introduce(props, !listed && active === visible[0]);
          if (own)
            return webPage({
              title: resource.fullName || resource.name,
              description: resource.description || undefined,
              islands,
              body: (await own.render({ ...props, introduction })) ?? <div />,
            });
          const shown = await Promise.all(visible.map(async (tab) => ({ tab, count: await tab.count?.(props) })));
          const told = await Promise.all(details.list().map((detail) => detail.render(props)));
          const model = accounts.toApiUser(resource, actor);
          return webPage({
            title: listed
              ? t.later('users.relatedTitle', { list: t.later(`users.${listed}`), name: resource.name })
              : resource.fullName || resource.name,
            description: resource.description || undefined,
            islands,
            body: (
              <ProfileView
                {...props}
                introduction={introduction}
                avatarUrl={accounts.avatarUrl(resource)}
                email={actor.kind === 'user' && !resource.keepEmailPrivate ? model.email : undefined}
                follows={actor.kind === 'user' && (await relations.follows(actor.id, resource.id))}
                path={path}
                details={told}
                tabs={shown}
                active={listed ?? active?.key}
                content={listed ? await relatedUsers(listed, context) : active ? await active.render(props) : null}
              />
            ),
          });
        },
      }),
      defineRoute({
        method: 'GET',
        path: '/explore/users',
        access: { actor: 'anyone' },
        request: {
          query: Joi.object<{ readonly q: string; readonly page: number }>({
            q: Joi.string().allow('').default(''),
            page: pageNumber,
          }),
        },
        handler: async ({ actor, query }) => {
          const { items, total } = await accounts.search({
            kind: 'user',
            text: query.q,
            visibleTo: actor,
            limit: pageSize,
            offset: (query.page - 1) * pageSize,
          });
          const pages = Math.ceil(total / pageSize);
          return webPage({
            title: t.later('users.title'),
            active: 'explore',
            body: (
              <UserSearch
                users={users(items)}
                text={query.q}
                total={total}
                page={query.page}
                pages={pages}
                tabs={explore.list().map((entry) => ({ ...entry, href: path(entry.href) }))}
                path={path}
              />
            ),
          });
        },
      }),
      follow('follow'),
      follow('unfollow'),
      defineRoute({
        method: 'GET',
        path: '/{username}.keys',
        surface: 'protocol',
        access: { actor: 'anyone', resource: userResource },
        handler: async ({ resource }) => {
          const keys = await publicKeys.list({ userId: resource.id, limit: 1000, offset: 0 });
          // Without the comments: they often name machines and addresses.
          return reply.text(keys.items.map((key) => `${key.content.split(' ', 2).join(' ')}\n`).join(''));
        },
      }),
      picture('/{username}.png'),
      picture('/user/avatar/{username}/{size}'),
    ];
  };
