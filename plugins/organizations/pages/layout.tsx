import type { ComponentChildren, VNode } from 'preact';
import {
  formatNumber,
  MenuLayout,
  Tabs,
  textOf,
  webPage,
  type MenuEntry,
  type PointReader,
  type Site,
  type TabEntry,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, ProfileTab } from '@mortise/accounts/api';
import type { OrganizationPages } from '../api.js';
import type { OrganizationPageContext, OrganizationSettingsEntry } from '../contract/pages.js';
import type { OrganizationService } from '../services/organizations.js';
import type { TeamService } from '../services/teams.js';
import { organizationBase, VisibilityLabel } from './components.js';
import { t } from '../texts/index.js';

interface LayoutDeps {
  readonly accounts: Accounts;
  readonly organizations: OrganizationService;
  readonly teams: TeamService;
  readonly site: Site;
  readonly profileTabs: PointReader<ProfileTab>;
  readonly settingsMenu: PointReader<OrganizationSettingsEntry>;
}

/** The number becomes text when the language of the page is known. */
type CountedTab = Omit<TabEntry, 'count'> & { readonly count?: number };

interface FrameProps {
  readonly account: Account;
  readonly avatarUrl: string;
  readonly organizationPath: string;
  readonly tabs: readonly CountedTab[];
  readonly active: string;
  /** Between the name and the tabs. */
  readonly facts?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Who the organization is, and the way to its pages; below it one of them. */
const Frame = ({ account, avatarUrl, organizationPath, tabs, active, facts, children }: FrameProps): VNode => (
  <div>
    <div class="d-flex flex-wrap flex-items-center gap-2 mb-3">
      <img class="avatar mr-2" src={avatarUrl} width="64" height="64" alt="" />
      <div class="list-main">
        <h1 class="h2 lh-condensed wb-break-word">
          <a class="Link--primary" href={organizationPath}>
            {account.fullName || account.name}
          </a>{' '}
          <VisibilityLabel of={account.visibility} />
        </h1>
        {account.fullName ? <span class="color-fg-muted">{account.name}</span> : null}
      </div>
    </div>
    {facts}
    <Tabs
      label={t('layout.pages')}
      entries={tabs.map(({ count, ...tab }) => ({
        ...tab,
        count: count === undefined ? undefined : formatNumber(count),
      }))}
      active={active}
    />
    {children}
  </div>
);

const SettingsFrame = ({
  entries,
  active,
  children,
}: Omit<FrameProps, 'account' | 'avatarUrl' | 'organizationPath' | 'tabs'> & {
  readonly entries: readonly MenuEntry[];
}): VNode => (
  <MenuLayout label={t('settings.title')} entries={entries} active={active}>
    {children}
  </MenuLayout>
);

/** What stands around the pages of an organization. */
export class OrganizationLayout implements OrganizationPages {
  constructor(private readonly deps: LayoutDeps) {}

  /** Those of the profile that plugins contribute, then people, teams and settings. */
  async tabs({ resource, actor }: OrganizationPageContext): Promise<CountedTab[]> {
    const { organizations, profileTabs, site, teams } = this.deps;
    const { account, isMember, isOwner } = resource;
    const base = organizationBase((to) => site.path(to), account);
    const props = { account, actor, query: {} };
    const shown = profileTabs.list().filter((tab) => tab.visible?.(props) ?? true);
    const counts = await Promise.all(shown.map((tab) => tab.count?.(props)));
    const users = await organizations.memberCount(account.id, isMember ? undefined : actor);
    const own = [
      {
        key: 'members',
        label: t.later('members.title'),
        icon: 'people',
        href: `${base}/members`,
        count: users,
      },
    ];
    if (isMember) {
      const count = await teams.count({ organizationId: account.id, visibleTo: actor });
      own.push({ key: 'teams', label: t.later('teams.title'), icon: 'organization', href: `${base}/teams`, count });
    }
    const settings = { key: 'settings', label: t.later('settings.title'), icon: 'gear', href: `${base}/settings` };
    return [
      ...shown.map((tab, at) => ({
        key: tab.key,
        label: tab.label,
        icon: tab.icon,
        href: site.path(`/${encodeURIComponent(account.name)}?tab=${tab.key}`),
        count: counts[at],
      })),
      ...own,
      ...(isOwner ? [settings] : []),
    ];
  }

  /** Header and tabs around a body. */
  async framed(context: OrganizationPageContext, active: string, body: VNode, facts?: VNode): Promise<VNode> {
    const { accounts, site } = this.deps;
    const { account } = context.resource;
    return (
      <Frame
        account={account}
        avatarUrl={accounts.avatarUrl(account)}
        organizationPath={site.path(`/${account.name}`)}
        tabs={await this.tabs(context)}
        active={active}
        facts={facts}
      >
        {body}
      </Frame>
    );
  }

  async page(
    context: OrganizationPageContext,
    active: string,
    options: Parameters<OrganizationPages['page']>[2],
  ): Promise<WebPage> {
    const { title } = options;
    const { name } = context.resource.account;
    return webPage({
      ...options,
      title: t.later('layout.title', { page: () => textOf(title), name }),
      body: await this.framed(context, active, options.body),
    });
  }

  settingsPage(
    context: OrganizationPageContext,
    active: string,
    options: Parameters<OrganizationPages['page']>[2],
  ): Promise<WebPage> {
    const { settingsMenu, site } = this.deps;
    const base = `${organizationBase((to) => site.path(to), context.resource.account)}/settings`;
    const entries = settingsMenu
      .list()
      .map((entry) => ({ ...entry, href: entry.href ? `${base}/${entry.href}` : base }));
    return this.page(context, 'settings', {
      ...options,
      body: (
        <SettingsFrame entries={entries} active={active}>
          {options.body}
        </SettingsFrame>
      ),
    });
  }
}
