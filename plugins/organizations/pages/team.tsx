import type { ComponentChildren, VNode } from 'preact';
import {
  Blankslate,
  Csrf,
  formatNumber,
  lastPage,
  Pager,
  PostButton,
  Section,
  Tabs,
  TextField,
  type TabEntry,
} from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { TeamContext } from '../contract/teams.js';
import { UserRow, teamBase, type PathOf, type UserView } from './components.js';
import { TeamLabels } from './teams.js';
import { t } from '../texts/index.js';

interface CommonProps {
  readonly context: TeamContext;
  readonly path: PathOf;
}

interface FrameProps extends CommonProps {
  readonly active: 'members' | 'repositories' | 'settings';
  /** The visitor is in the team itself, not only above it. */
  readonly isIn: boolean;
  readonly children: ComponentChildren;
}

/** The name of a team, joining and leaving, and the tabs of its pages. */
export function TeamFrame({ context, active, isIn, path, children }: FrameProps): VNode {
  const { team, organization, isOwner } = context;
  const base = teamBase(path, organization.account, team.name);
  const entries: TabEntry[] = [
    { key: 'members', label: t('team.members'), href: base, icon: 'people', count: formatNumber(team.memberCount) },
    { key: 'repositories', label: t('team.repositories'), href: `${base}/repositories`, icon: 'repo' },
  ];
  if (isOwner) entries.push({ key: 'settings', label: t('settings.title'), href: `${base}/edit`, icon: 'gear' });
  return (
    <Section
      title={
        <>
          {team.name} <TeamLabels team={team} />
        </>
      }
      actions={
        isIn ? (
          <PostButton action={`${base}/action/leave`} confirm={t('team.leaveConfirm', { name: team.name })} danger>
            {t('team.leave')}
          </PostButton>
        ) : isOwner ? (
          <PostButton action={`${base}/action/join`}>{t('team.join')}</PostButton>
        ) : null
      }
    >
      {team.description ? <p class="wb-break-word">{team.description}</p> : null}
      <Tabs label={t('team.pages')} entries={entries} active={active} />
      {children}
    </Section>
  );
}

interface TeamMembersProps extends CommonProps {
  /** Undefined: only members of the organization may know. */
  readonly members: readonly UserView[] | undefined;
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** The name that was refused. */
  readonly name: string;
  /** Addresses for mail may be named too. */
  readonly invites: boolean;
  /** Below the list. */
  readonly children?: ComponentChildren;
}

/** Who is in a team, and a field to add somebody. */
export function TeamMembers(props: TeamMembersProps): VNode {
  const { context, members, total, page, limit, name, invites, path, children } = props;
  const { team, organization, isOwner } = context;
  const base = teamBase(path, organization.account, team.name);
  if (!members) return <p class="color-fg-muted">{t('team.membersHidden')}</p>;
  return (
    <>
      {isOwner ? (
        <form method="post" action={`${base}/action/add`} class="mb-3">
          <Csrf />
          <TextField
            name="uname"
            label={t(invites ? 'team.usernameOrEmail' : 'team.username')}
            value={name}
            required
            maxLength={254}
            autocapitalize="none"
            data-suggest="user"
            short
          />
          <button class="btn btn-primary" type="submit">
            {t('team.addMember')}
          </button>
        </form>
      ) : null}
      {total === 0 ? (
        <Blankslate title={t('team.noMembers')} icon="people" level={3} />
      ) : (
        <ul class="Box list-style-none">
          {members.map((one) => (
            <UserRow key={one.account.id} {...one} path={path}>
              {isOwner ? (
                <PostButton
                  action={`${base}/action/remove`}
                  fields={{ uid: one.account.id }}
                  label={t('team.removeOf', { name: one.account.name })}
                  confirm={t('team.removeConfirm', { name: one.account.name, team: team.name })}
                  danger
                >
                  {t('members.remove')}
                </PostButton>
              ) : null}
            </UserRow>
          ))}
        </ul>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
      {children}
    </>
  );
}

interface TeamRepositoriesProps extends CommonProps {
  readonly repositories: readonly Repository[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** May add and remove those that it administers. */
  readonly mayChange: boolean;
  /** Names to choose from. */
  readonly offered: readonly string[];
  /** The name that was refused. */
  readonly name: string;
}

/** Which repositories a team has. */
export function TeamRepositories(props: TeamRepositoriesProps): VNode {
  const { context, repositories, total, page, limit, mayChange, offered, name, path } = props;
  const { team, organization, isOwner } = context;
  const act = (action: string) => `${teamBase(path, organization.account, team.name)}/action/repo/${action}`;
  const isFixed = team.includesAllRepositories;
  return (
    <>
      {isFixed ? <p class="color-fg-muted">{t('team.hasAll')}</p> : null}
      {mayChange && !isFixed ? (
        <form method="post" action={act('add')} class="mb-3">
          <Csrf />
          <TextField
            name="repo_name"
            label={t('team.repository')}
            value={name}
            required
            maxLength={100}
            autocapitalize="none"
            list="offered-repositories"
            short
          />
          <datalist id="offered-repositories">
            {offered.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <button class="btn btn-primary" type="submit">
            {t('team.addRepository')}
          </button>
        </form>
      ) : null}
      {isOwner && !isFixed ? (
        <div class="d-flex flex-wrap gap-2 mb-3">
          <PostButton
            action={act('addall')}
            class="btn btn-sm"
            confirm={t('team.addAllConfirm', { name: organization.account.name })}
          >
            {t('team.addAll')}
          </PostButton>
          {total > 0 ? (
            <PostButton action={act('removeall')} confirm={t('team.removeAllConfirm')} danger>
              {t('team.removeAll')}
            </PostButton>
          ) : null}
        </div>
      ) : null}
      {total === 0 ? (
        <Blankslate title={t('team.noRepositories')} icon="repo" level={3} />
      ) : (
        <ul class="Box list-style-none">
          {repositories.map((repository) => (
            <li key={repository.id} class="Box-row d-flex flex-wrap flex-items-center gap-2">
              <div class="list-main">
                <a class="text-bold wb-break-word" href={path(`/${repository.ownerName}/${repository.name}`)}>
                  {repository.ownerName}/{repository.name}
                </a>{' '}
                {repository.isPrivate ? <span class="Label">{t('visibility.private')}</span> : null}
                {repository.description ? (
                  <div class="f6 color-fg-muted wb-break-word">{repository.description}</div>
                ) : null}
              </div>
              {mayChange && !isFixed ? (
                <PostButton
                  action={act('remove')}
                  fields={{ repoid: repository.id }}
                  label={t('team.removeRepositoryOf', { name: repository.name })}
                  confirm={t('team.removeRepositoryConfirm', { name: repository.name, team: team.name })}
                  danger
                >
                  {t('members.remove')}
                </PostButton>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
    </>
  );
}
