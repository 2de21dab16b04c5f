import { defineRoute, Joi, reply, webPage, type PointReader, type Route, type Site } from '@mortise/plugin-sdk';
import {
  userSubject,
  type Account,
  type Accounts,
  type ProfilePage,
  type ProfileProps,
  type ProfileTab,
  type PublicKeys,
} from '../api.js';
import { People } from '../pages/people.js';
import { ProfileView } from '../pages/profile.js';
import type { Relations } from '../services/relations.js';

interface Services {
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly relations: Relations;
  readonly site: Site;
}

const pageSize = 30;
const pageNumber = Joi.number().integer().min(1).max(100_000).default(1).failover(1);

/** `/{username}`: the public page of an account, made of tabs that plugins contribute. */
export const profilePageRoutes =
  (tabs: PointReader<ProfileTab>, pages: PointReader<ProfilePage>) =>
  ({ accounts, publicKeys, relations, site }: Services): readonly Route[] => {
    const access = { actor: 'anyone', subject: userSubject } as const;
    const path = (to: string) => site.path(to);

    const follow = (word: 'follow' | 'unfollow'): Route =>
      defineRoute<Account>({
        method: 'POST',
        path: `/{username}/-/${word}`,
        access: { actor: 'user', subject: userSubject },
        payload: { as: 'form' },
        handler: async ({ actor, subject }) => {
          await relations[word](actor.id, subject.id);
          return reply.redirect(path(`/${subject.name}`), 303);
        },
      });

    const picture = (address: string): Route =>
      defineRoute<Account>({
        method: 'GET',
        path: address,
        surface: 'protocol',
        access: { actor: 'anyone', subject: userSubject },
        handler: ({ subject }) => reply.redirect(accounts.avatarUrl(subject), 303),
      });

    return [
      defineRoute<Account>({
        method: 'GET',
        path: '/{username}',
        access,
        handler: async ({ actor, subject, csrf, query }) => {
          const props: ProfileProps = { account: subject, actor, csrf, query };
          const own = pages.list().find((page) => page.kind === subject.kind);
          if (own)
            return webPage({ title: subject.fullName || subject.name, body: (await own.render(props)) ?? <div /> });
          const visible = tabs.list().filter((tab) => tab.visible?.(props) ?? true);
          const active = visible.find((tab) => tab.key === query.tab) ?? visible[0];
          const shown = await Promise.all(visible.map(async (tab) => ({ tab, count: await tab.count?.(props) })));
          const model = accounts.toApiUser(subject, actor);
          return webPage({
            title: subject.fullName || subject.name,
            description: subject.description || undefined,
            body: (
              <ProfileView
                {...props}
                avatarUrl={accounts.avatarUrl(subject)}
                email={actor.kind === 'user' && !subject.keepEmailPrivate ? model.email : undefined}
                follows={actor.kind === 'user' && (await relations.follows(actor.id, subject.id))}
                path={path}
                tabs={shown}
                active={active?.key}
                content={active ? await active.render(props) : null}
              />
            ),
          });
        },
      }),
      defineRoute({
        method: 'GET',
        path: '/explore/users',
        access: { actor: 'anyone' },
        request: { query: Joi.object({ q: Joi.string().allow('').default(''), page: pageNumber }) },
        handler: async ({ actor, query }) => {
          const { items, total } = await accounts.search({
            kind: 'user',
            text: query.q,
            visibleTo: actor,
            limit: pageSize,
            offset: (query.page - 1) * pageSize,
          });
          const people = items.map((account) => ({ account, avatarUrl: accounts.avatarUrl(account) }));
          const pages = Math.ceil(total / pageSize);
          return webPage({
            title: 'People',
            active: 'explore',
            body: <People people={people} text={query.q} total={total} page={query.page} pages={pages} path={path} />,
          });
        },
      }),
      follow('follow'),
      follow('unfollow'),
      defineRoute<Account>({
        method: 'GET',
        path: '/{username}.keys',
        surface: 'protocol',
        access: { actor: 'anyone', subject: userSubject },
        handler: async ({ subject }) => {
          const keys = await publicKeys.list({ userId: subject.id, limit: 1000, offset: 0 });
          // Without the comments: they often name machines and addresses.
          return reply.text(keys.items.map((key) => `${key.content.split(' ', 2).join(' ')}\n`).join(''));
        },
      }),
      picture('/{username}.png'),
      picture('/user/avatar/{username}/{size}'),
    ];
  };
