import type { VNode } from 'preact';
import { Blankslate, icon } from '@mortise/plugin-sdk';
import type { Memberships, ProfilePage, ProfileTab } from '@mortise/accounts/api';
import type { PointReader, Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { OrganizationContext, Team } from '../api.js';
import type { OrganizationService } from '../services/organizations.js';
import { contextOf } from '../services/resources.js';
import type { TeamService } from '../services/teams.js';
import type { OrganizationLayout } from './layout.js';
import { organizationBase, userViewOf, teamBase, type PathOf, type UserView } from './components.js';
import { t } from '../texts/index.js';

/** Beside the repositories: as many as fit, the rest on pages of their own. */
const maxListed = { members: 24, teams: 10 } as const;

interface HomeServices {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly organizations: OrganizationService;
  readonly teams: TeamService;
  readonly layout: OrganizationLayout;
  readonly site: Site;
}

const Fact = ({ name, children }: { name: string; children: VNode | string }): VNode => (
  <li class="mr-3 color-fg-muted wb-break-word">
    {icon(name, { class: 'mr-1' })}
    {children}
  </li>
);

/** What the organization says of itself. */
const Facts = ({ account, isSignedIn }: { account: Account; isSignedIn: boolean }): VNode => (
  <div class="mb-3">
    {account.description ? <p class="mb-2 wb-break-word">{account.description}</p> : null}
    <ul class="list-style-none d-flex flex-wrap f5">
      {account.location ? <Fact name="location">{account.location}</Fact> : null}
      {account.website ? (
        <Fact name="link">
          <a href={account.website} rel="nofollow noopener noreferrer me">
            {account.website}
          </a>
        </Fact>
      ) : null}
      {account.email && isSignedIn ? (
        <Fact name="mail">
          <a href={`mailto:${account.email}`}>{account.email}</a>
        </Fact>
      ) : null}
    </ul>
  </div>
);

interface SideProps {
  readonly organization: OrganizationContext;
  readonly members: readonly UserView[];
  readonly teams: readonly Team[];
  readonly mayCreate: boolean;
  readonly path: PathOf;
}

/** People and teams, and the ways to new ones. */
function Side({ organization, members, teams, mayCreate, path }: SideProps): VNode {
  const { account, isMember, isOwner } = organization;
  const base = organizationBase(path, account);
  return (
    <>
      {mayCreate ? (
        <p>
          <a class="btn btn-primary btn-block" href={path(`/repo/create?org=${encodeURIComponent(account.name)}`)}>
            {icon('plus')} {t('home.newRepository')}
          </a>
        </p>
      ) : null}
      <section class="mb-4">
        <h2 class="f4 mb-2">{t('members.title')}</h2>
        {members.length === 0 ? <p class="color-fg-muted">{t('home.noPeople')}</p> : null}
        <ul class="list-style-none d-flex flex-wrap gap-2 mb-2">
          {members.map(({ account: { id, name }, avatarUrl }) => (
            <li key={id}>
              <a href={path(`/${name}`)} title={name}>
                <img class="avatar" src={avatarUrl} width="36" height="36" alt={name} />
              </a>
            </li>
          ))}
        </ul>
        <a href={`${base}/members`}>{t('home.allPeople')}</a>
      </section>
      {isMember ? (
        <section class="mb-4">
          <h2 class="f4 mb-2">{t('teams.title')}</h2>
          <ul class="Box list-style-none mb-2">
            {teams.map((team) => (
              <li key={team.id} class="Box-row py-2 wb-break-word">
                <a class="text-bold" href={teamBase(path, account, team.name)}>
                  {team.name}
                </a>
                <div class="f6 color-fg-muted">{t('teams.members', { count: team.memberCount })}</div>
              </li>
            ))}
          </ul>
          <a href={`${base}/teams`}>{t('home.allTeams')}</a>
          {isOwner ? (
            <>
              {' · '}
              <a href={`${base}/teams/new`}>{t('team.new')}</a>
            </>
          ) : null}
        </section>
      ) : null}
    </>
  );
}

/** `/{org}`: tabs that plugins contribute to profiles, members and teams beside them. */
export const organizationHome =
  (tabs: PointReader<ProfileTab>) =>
  ({ accounts, memberships, organizations, teams, layout, site }: HomeServices): ProfilePage => ({
    key: 'organizations',
    kind: 'organization',
    async render(props) {
      const { account, actor } = props;
      const resource = await contextOf(memberships, actor, await organizations.ofAccount(account));
      const visible = tabs.list().filter((tab) => tab.visible?.(props) ?? true);
      const active = visible.find((tab) => tab.key === props.query.tab) ?? visible[0];
      const page = { limit: maxListed.members, offset: 0 };
      const { items } = await organizations.members(account.id, {
        shownTo: resource.isMember ? undefined : actor,
        ...page,
      });
      const seen = { organizationId: account.id, visibleTo: actor, limit: maxListed.teams, offset: 0 };
      const body = (
        <div class="d-md-flex gutter-lg">
          <div class="col-12 col-md-9 mb-4">
            {props.introduction}
            {active ? await active.render(props) : <Nothing />}
          </div>
          <div class="col-12 col-md-3">
            <Side
              organization={resource}
              members={items.map((member) => userViewOf(accounts)(member.account))}
              teams={resource.isMember ? (await teams.search(seen)).items : []}
              mayCreate={
                actor.kind === 'user' &&
                (actor.isAdmin || (await organizations.rights(actor.id, account.id)).canCreateRepository)
              }
              path={(to) => site.path(to)}
            />
          </div>
        </div>
      );
      const facts = <Facts account={account} isSignedIn={actor.kind === 'user'} />;
      return layout.framed({ resource, actor }, active?.key ?? '', body, facts);
    },
  });

const Nothing = (): VNode => <Blankslate title={t('home.empty')} />;
