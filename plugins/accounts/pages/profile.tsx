import {
  Blankslate,
  bold,
  defineRoute,
  formatDate,
  formatNumber,
  icon,
  lastPage,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  textOf,
  webPage,
  type PointReader,
  type Route,
  type RawQuery,
  type RouteContext,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import {
  userResource,
  type ProfileTab,
  type Account,
  type Accounts,
  type ProfileIntroduction,
  type ProfilePage,
  type ProfileProps,
  type PublicKeys,
} from '../api.js';
import type { ProfilePageProps } from '../contract/pages.js';
import { t } from '../texts/index.js';
import { pageNumber, RelatedUsers, userViews, usersPerPage } from './users.js';
import type { Relations } from '../services/relations.js';

interface ProfileViewProps extends ProfilePageProps {
  /** Address that a location is put behind; empty: none. */
  readonly mapUrl: string;
  readonly avatarUrl: string;
  readonly email: string | undefined;
  readonly follows: boolean;
  readonly path: (path: string) => string;
  readonly details: readonly (VNode | null)[];
  readonly tabs: readonly { readonly tab: ProfileTab; readonly count: number | undefined }[];
  /** Key of the tab that is shown, or of the list behind a number. */
  readonly active: string | undefined;
  readonly content: VNode | null;
}

const Location = ({ place, mapUrl }: { readonly place: string; readonly mapUrl: string }): VNode =>
  mapUrl ? (
    <a href={mapUrl + encodeURIComponent(place)} rel="nofollow noopener noreferrer">
      {place}
    </a>
  ) : (
    <>{place}</>
  );

function FollowButton({ account, actor, follows, path }: ProfileViewProps): VNode | null {
  if (actor.kind !== 'user' || actor.id === account.id) return null;
  return (
    <PostButton
      action={path(`/${account.name}/-/${follows ? 'unfollow' : 'follow'}`)}
      class="btn btn-block"
      formClass="my-3"
    >
      {t(follows ? 'person.unfollow' : 'person.follow')}
    </PostButton>
  );
}

const Fact = ({ name, children }: { name: string; children: VNode | string }): VNode => (
  <li class="py-1 color-fg-muted">
    {icon(name, { class: 'mr-2' })}
    {children}
  </li>
);

/** The public page of a person: who it is on the left, tabs of plugins on the right. */
function ProfileView(props: ProfileViewProps): VNode {
  const { account, path } = props;
  return (
    <div>
      <div class="d-md-flex gutter-lg">
        <div class="col-12 col-md-3 mb-4">
          <img
            class="avatar width-full mb-3 profile-picture"
            src={props.avatarUrl}
            alt={t('avatar.of', { name: account.name })}
          />
          <h1 class="h2 lh-condensed">
            {account.fullName ? <span class="d-block">{account.fullName}</span> : null}
            <span class={account.fullName ? 'd-block f3-light color-fg-muted' : 'd-block'}>{account.name}</span>
          </h1>
          {account.visibility === 'public' ? null : (
            <span class="Label">{t(account.visibility === 'limited' ? 'profile.limited' : 'profile.private')}</span>
          )}
          {account.description ? <p class="mt-2">{account.description}</p> : null}
          <FollowButton {...props} />
          <ul class="list-style-none f5">
            <Fact name="people">
              <>
                <a
                  class="Link--secondary"
                  href={path(`/${account.name}?tab=followers`)}
                  aria-current={props.active === 'followers' ? 'page' : undefined}
                >
                  {t.rich('person.followers', { count: account.followerCount, b: bold })}
                </a>
                {' · '}
                <a
                  class="Link--secondary"
                  href={path(`/${account.name}?tab=following`)}
                  aria-current={props.active === 'following' ? 'page' : undefined}
                >
                  {t.rich('person.following', { count: account.followingCount, b: bold })}
                </a>
              </>
            </Fact>
            {account.location ? (
              <Fact name="location">
                <Location place={account.location} mapUrl={props.mapUrl} />
              </Fact>
            ) : null}
            {account.website ? (
              <Fact name="link">
                <a href={account.website} rel="nofollow noopener noreferrer me">
                  {account.website}
                </a>
              </Fact>
            ) : null}
            {props.email ? (
              <Fact name="mail">
                <a href={`mailto:${props.email}`}>{props.email}</a>
              </Fact>
            ) : null}
            <Fact name="calendar">{t('person.joined', { date: formatDate(account.createdAt) })}</Fact>
          </ul>
          {props.details}
        </div>
        <div class="col-12 col-md-9">
          {props.tabs.length > 0 ? (
            <nav class="UnderlineNav mb-3" aria-label={t('person.profile')}>
              <div class="UnderlineNav-body">
                {props.tabs.map(({ tab, count }) => (
                  <a
                    key={tab.key}
                    class="UnderlineNav-item"
                    href={path(`/${account.name}?tab=${tab.key}`)}
                    aria-current={tab.key === props.active ? 'page' : undefined}
                  >
                    {tab.icon ? icon(tab.icon, { class: 'UnderlineNav-octicon' }) : null} {textOf(tab.label)}
                    {count === undefined ? null : <span class="Counter ml-1">{formatNumber(count)}</span>}
                  </a>
                ))}
              </div>
            </nav>
          ) : null}
          {props.introduction}
          {props.content ?? <Blankslate title={t('person.empty')} plain />}
        </div>
      </div>
    </div>
  );
}

/** What plugins contribute to profiles. */
interface ProfilePoints {
  readonly tabs: PointReader<ProfileTab>;
  readonly details: PointReader<Slot<ProfileProps>>;
  readonly introductions: PointReader<ProfileIntroduction>;
  readonly pages: PointReader<ProfilePage>;
}

interface ProfileServices {
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly relations: Relations;
  readonly site: Site;
}

interface ProfileOptions {
  /** Of those who do not hide theirs. */
  readonly showsEmails: boolean;
  readonly mapUrl: string;
}

type ProfileDeps = ProfilePoints & ProfileServices & ProfileOptions;

/** What a query says once; a name that is given several times is left out. */
const singleValues = (query: RawQuery): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** Lists behind the numbers beside the picture, `/{username}?tab={key}`. */
const related = ['followers', 'following'] as const;
type Related = (typeof related)[number];
const isRelated = (tab: string | undefined): tab is Related => related.some((one) => one === tab);

const access = { actor: 'anyone', resource: userResource } as const;

/** The same users as the API names to this actor. */
async function relatedUsers(
  { accounts, relations, site }: ProfileServices,
  key: Related,
  { actor, resource, query }: RouteContext<Account, unknown, RawQuery>,
): Promise<VNode> {
  const { value: page } = pageNumber.validate(query.page);
  const range = { limit: usersPerPage, offset: (page - 1) * usersPerPage };
  const { items, total } = await relations[key](resource.id, range, actor);
  return (
    <RelatedUsers
      list={key}
      name={resource.name}
      users={userViews(accounts, items)}
      total={total}
      page={page}
      path={site.path}
      last={lastPage(total, usersPerPage)}
      href={(to) => site.path(`/${resource.name}?tab=${key}&page=${to}`)}
    />
  );
}

/** What stands above the first tab, with the islands that it needs. */
async function introduce({ introductions }: ProfilePoints, props: ProfileProps, isShown: boolean) {
  const shown = isShown
    ? await Promise.all(introductions.list().map(async (one) => ({ one, body: await one.render(props) })))
    : [];
  return {
    introduction: shown.flatMap(({ body }) => body ?? []),
    islands: shown.flatMap(({ one, body }) => (body ? [...(one.islands ?? [])] : [])),
  };
}

/** What the address asks for: a list of users, or one of the tabs. */
function chosenTab({ tabs }: ProfilePoints, props: ProfileProps, hasOwnPage: boolean) {
  const visible = tabs.list().filter((tab) => tab.visible?.(props) ?? true);
  const wanted: string | undefined = props.query.tab;
  const list = !hasOwnPage && isRelated(wanted) ? wanted : undefined;
  const active = list ? undefined : (visible.find((tab) => tab.key === wanted) ?? visible[0]);
  return { visible, list, active };
}

const profilePage = (deps: ProfileDeps): Route =>
  pageRoute('/{username}', access, async (context) => {
    const { accounts, relations, site, showsEmails, mapUrl } = deps;
    const { actor, resource } = context;
    const props: ProfileProps = { account: resource, actor, query: singleValues(context.query) };
    const own = deps.pages.list().find((page) => page.kind === resource.kind);
    const { visible, list, active } = chosenTab(deps, props, own !== undefined);
    const { introduction, islands } = await introduce(deps, props, !list && active === visible[0]);
    const name = resource.fullName || resource.name;
    const common = { title: name, description: resource.description || undefined, islands };
    if (own) return webPage({ ...common, body: (await own.render({ ...props, introduction })) ?? <div /> });
    const isUser = actor.kind === 'user';
    const { email } = accounts.toApiUser(resource, actor);
    return webPage({
      ...common,
      title: list ? t.later('users.relatedTitle', { list: t.later(`users.${list}`), name: resource.name }) : name,
      body: (
        <ProfileView
          {...props}
          introduction={introduction}
          avatarUrl={accounts.avatarUrl(resource)}
          email={showsEmails && isUser && !resource.keepEmailPrivate ? email : undefined}
          mapUrl={mapUrl}
          follows={isUser && (await relations.follows(actor.id, resource.id))}
          path={site.path}
          details={await Promise.all(deps.details.list().map((detail) => detail.render(props)))}
          tabs={await Promise.all(visible.map(async (tab) => ({ tab, count: await tab.count?.(props) })))}
          active={list ?? active?.key}
          content={list ? await relatedUsers(deps, list, context) : active ? await active.render(props) : null}
        />
      ),
    });
  });

const follow = ({ relations, site }: ProfileServices, word: 'follow' | 'unfollow'): Route =>
  postRoute(`/{username}/-/${word}`, { actor: 'user', resource: userResource }, async ({ actor, resource }) => {
    await relations[word](actor.id, resource.id);
    return reply.redirect(site.path(`/${resource.name}`), 303);
  });

const publicKeysOf = ({ publicKeys }: ProfileServices): Route =>
  defineRoute({
    method: 'GET',
    path: '/{username}.keys',
    surface: 'protocol',
    access,
    async handler({ resource }) {
      const keys = await publicKeys.list({ userId: resource.id, limit: 1000, offset: 0 });
      // Without the comments: they often name machines and addresses.
      return reply.text(keys.items.map((key) => `${key.content.split(' ', 2).join(' ')}\n`).join(''));
    },
  });

const picture = ({ accounts }: ProfileServices, path: string): Route =>
  defineRoute({
    method: 'GET',
    path,
    surface: 'protocol',
    access,
    handler: ({ resource }) => reply.redirect(accounts.avatarUrl(resource), 303),
  });

/** `/{username}`: the public page of an account, made of tabs that plugins contribute. */
export const profilePageRoutes =
  (points: ProfilePoints, options: ProfileOptions) =>
  (services: ProfileServices): readonly Route[] => [
    profilePage({ ...points, ...services, ...options }),
    follow(services, 'follow'),
    follow(services, 'unfollow'),
    publicKeysOf(services),
    picture(services, '/{username}.png'),
    picture(services, '/user/avatar/{username}/{size}'),
  ];
