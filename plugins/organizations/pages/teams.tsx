import type { VNode } from 'preact';
import { Blankslate, formatNumber, lastPage, listHref, Pager, SearchBox, Section } from '@mortise/plugin-sdk';
import type { OrganizationContext, Team } from '../api.js';
import { organizationBase, teamBase, type PathOf } from './components.js';
import { t } from '../texts/index.js';

interface TeamsProps {
  readonly organization: OrganizationContext;
  readonly teams: readonly Team[];
  readonly total: number;
  readonly text: string;
  readonly page: number;
  readonly limit: number;
  readonly path: PathOf;
}

/** The teams that the visitor may know of. */
export function Teams({ organization, teams, total, text, page, limit, path }: TeamsProps): VNode {
  const { account, isOwner } = organization;
  const base = organizationBase(path, account);
  return (
    <Section
      title={
        <>
          {t('teams.title')} <span class="Counter">{formatNumber(total)}</span>
        </>
      }
      actions={
        isOwner ? (
          <a class="btn btn-primary" href={`${base}/teams/new`}>
            {t('team.new')}
          </a>
        ) : null
      }
    >
      <SearchBox value={text} label={t('teams.search')} />
      {teams.length === 0 ? (
        <Blankslate title={t('teams.none')} icon="organization" level={3} />
      ) : (
        <ul class="Box list-style-none">
          {teams.map((team) => (
            <li key={team.id} class="Box-row">
              <h3 class="f4 text-normal mb-1 wb-break-word">
                <a class="text-bold" href={teamBase(path, account, team.name)}>
                  {team.name}
                </a>{' '}
                <TeamLabels team={team} />
              </h3>
              {team.description ? <p class="mb-1 wb-break-word">{team.description}</p> : null}
              <p class="f6 color-fg-muted mb-0">
                {t('teams.members', { count: team.memberCount })} · <Repositories team={team} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={(to) => listHref('', { q: text, page: to })} />
    </Section>
  );
}

const Repositories = ({ team }: { team: Team }): VNode => (
  <>
    {team.includesAllRepositories
      ? t('teams.allRepositories')
      : t('teams.repositories', { count: team.repositoryCount })}
  </>
);

/** What it may in short, and who knows of it. */
export const TeamLabels = ({ team }: { team: Team }): VNode => (
  <>
    {team.authorization === 'none' ? null : (
      <span class="Label Label--accent mr-1">{t(`team.level.${team.authorization}`)}</span>
    )}
    {team.authorization === 'owner' ? null : <span class="Label">{t(`team.visibility.${team.visibility}`)}</span>}
  </>
);
