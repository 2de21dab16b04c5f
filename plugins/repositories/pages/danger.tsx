import type { ComponentChildren, VNode } from 'preact';
import {
  Csrf,
  Forbidden,
  Invalid,
  PostButton,
  checkFields,
  formText,
  toId,
  listHref,
  type FormValues,
} from '@mortise/plugin-sdk';
import { type Repository, type RepositoryPageContext, repositoryHome, type RepositoryRoute } from '../api.js';
import type { OfferedTeam } from '../contract/access.js';
import { LineField } from './form-fields.js';
import { type PageServices } from './page-services.js';
import { t } from '../texts/index.js';

/** As many as the API takes. */
const maxTeams = 100;

function Row({ title, text, children }: { title: string; text: string; children: ComponentChildren }): VNode {
  return (
    <div class="Box-row d-flex flex-wrap flex-items-center gap-2">
      <div class="danger-text">
        <strong>{title}</strong>
        <p class="mb-0 color-fg-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}

/** Ids of the teams in the form of a transfer. */
export const teamIdsOf = (values: FormValues): readonly number[] =>
  [values.teams ?? []].flat().map(toId).filter(Boolean).slice(0, maxTeams);

type TeamOwners = Parameters<typeof DangerZone>[0]['owners'];

/** Teams of the organizations that it can be handed over to; those of the chosen one get it. */
function TeamChoice({ owners, chosen }: { owners: TeamOwners; chosen: readonly number[] }): VNode | null {
  const offered = owners.filter(({ teams }) => teams.length > 0);
  if (offered.length === 0) return null;
  return (
    <details class="width-full" open={chosen.length > 0}>
      <summary>{t('danger.transferTeams')}</summary>
      <p class="note">{t('danger.transferTeamsNote')}</p>
      {offered.map(({ name, teams }) => (
        <fieldset key={name} class="mb-2">
          <legend class="text-bold f6">{name}</legend>
          {teams.map((team) => (
            <label key={team.id} class="d-inline-block mr-3">
              <input type="checkbox" name="teams" value={team.id} checked={chosen.includes(team.id)} /> {team.name}
            </label>
          ))}
        </fieldset>
      ))}
    </details>
  );
}

/** What is hard to undo; each needs the name of the repository typed or is one click that can be taken back. */
export function DangerZone(props: {
  pageContext: RepositoryPageContext;
  action: string;
  forcePrivate: boolean;
  offeredTo: string;
  /** Who was named when it was refused. */
  newOwner?: string;
  /** Accounts that it can be handed over to at once, with the teams of each that can get it. */
  owners: readonly { readonly name: string; readonly teams: readonly OfferedTeam[] }[];
  /** Teams that were chosen when it was refused. */
  chosenTeams: readonly number[];
}): VNode {
  const { pageContext, action, forcePrivate, offeredTo, newOwner, owners, chosenTeams } = props;
  const { repository } = pageContext.context;
  const isOwner = pageContext.context.may('owner');
  const act = (name: string, children: ComponentChildren) => (
    <form method="post" action={action} class="d-flex flex-wrap gap-2">
      <Csrf token={pageContext.csrf} />
      <input type="hidden" name="action" value={name} />
      {children}
    </form>
  );
  const button = (label: string) => (
    <button class="btn btn-danger" type="submit">
      {label}
    </button>
  );
  const full = `${repository.ownerName}/${repository.name}`;
  const typed = (of: string) => (
    <LineField name="confirm" id={`confirm-${of}`} label={t('danger.confirm')} placeholder={repository.name} />
  );
  return (
    <section class="Box color-border-danger-emphasis mb-4" id="danger-zone">
      <div class="Box-header color-border-danger-emphasis">
        <h2 class="Box-title color-fg-danger">{t('danger.title')}</h2>
      </div>
      {repository.forkOfId ? (
        <Row title={t('danger.visibility')} text={t('danger.forkVisibility')}>
          <span class="Label">{t(repository.isPrivate ? 'repo.private' : 'repo.public')}</span>
        </Row>
      ) : forcePrivate ? null : (
        <Row
          title={t(repository.isPrivate ? 'danger.publish' : 'danger.hide')}
          text={t(repository.isPrivate ? 'danger.publishNote' : 'danger.hideNote')}
        >
          <PostButton
            action={action}
            csrf={pageContext.csrf}
            fields={{ action: repository.isPrivate ? 'publish' : 'hide' }}
            class="btn btn-danger"
            confirm={t(repository.isPrivate ? 'danger.publishConfirm' : 'danger.hideConfirm', { name: full })}
          >
            {t(repository.isPrivate ? 'danger.publish' : 'danger.hide')}
          </PostButton>
        </Row>
      )}
      <Row
        title={t(repository.isArchived ? 'danger.unarchive' : 'danger.archive')}
        text={t(repository.isArchived ? 'danger.unarchiveNote' : 'danger.archiveNote')}
      >
        {repository.isArchived ? (
          act('unarchive', button(t('danger.unarchive')))
        ) : (
          <PostButton
            action={action}
            csrf={pageContext.csrf}
            fields={{ action: 'archive' }}
            class="btn btn-danger"
            confirm={t('danger.archiveConfirm', { name: full })}
          >
            {t('danger.archive')}
          </PostButton>
        )}
      </Row>
      {isOwner && repository.forkOfId ? (
        <Row title={t('danger.detach')} text={t('danger.detachNote')}>
          {act('part', [typed('part'), button(t('danger.detach'))])}
        </Row>
      ) : null}
      {isOwner && offeredTo ? (
        <Row title={t('danger.transfer')} text={t('danger.transferPending', { name: offeredTo })}>
          {act('cancel-transfer', button(t('danger.cancelTransfer')))}
        </Row>
      ) : null}
      {isOwner && !offeredTo ? (
        <Row
          title={t('danger.transfer')}
          text={t(pageContext.actor.isAdmin ? 'danger.transferAdmin' : 'danger.transferNote')}
        >
          {act('transfer', [
            <LineField name="new_owner" label={t('danger.newOwner')} value={newOwner} isUser list="own-accounts" />,
            <datalist id="own-accounts">
              {owners.map(({ name }) => (
                <option key={name} value={name} data-kept="" />
              ))}
            </datalist>,
            <TeamChoice owners={owners} chosen={chosenTeams} />,
            typed('transfer'),
            button(t('danger.transfer')),
          ])}
        </Row>
      ) : null}
      {isOwner ? (
        <Row title={t('danger.delete')} text={t('danger.deleteNote')}>
          {act('delete', [typed('delete'), button(t('danger.deleteSubmit'))])}
        </Row>
      ) : null}
    </section>
  );
}

/** What the forms of {@link DangerZone} do: give the repository as it is then, or where to go. */
export function dangerActions(
  services: PageServices,
): Readonly<Record<string, (context: RepositoryRoute, values: FormValues) => Promise<Repository | string>>> {
  const { accounts, repositories, transfers, presenter, settings, site } = services;
  const edit = (changes: Parameters<typeof repositories.edit>[1]) => (context: RepositoryRoute) =>
    repositories.edit(context.resource.repository, changes, context.actor);
  const asOwner = ({ resource }: RepositoryRoute) => {
    if (!resource.may('owner')) throw Forbidden(t.later('error.owner'));
  };
  const confirmed = ({ resource }: RepositoryRoute, values: FormValues, more: Record<string, () => unknown> = {}) =>
    checkFields({
      ...more,
      [`confirm-${formText(values, 'action')}`]: () => {
        if (formText(values, 'confirm') !== resource.repository.name) throw Invalid(t.later('error.confirm'));
      },
    });
  const visibility = (isPrivate: boolean) => (context: RepositoryRoute) => {
    if (settings.FORCE_PRIVATE && !context.actor.isAdmin) throw Forbidden(t.later('error.forcePrivate'));
    return edit({ isPrivate })(context);
  };
  return {
    archive: edit({ isArchived: true }),
    unarchive: edit({ isArchived: false }),
    publish: visibility(false),
    hide: visibility(true),
    async part(context, values) {
      asOwner(context);
      await confirmed(context, values);
      return repositories.part(context.resource.repository, context.actor);
    },
    async transfer(context, values) {
      asOwner(context);
      const name = formText(values, 'new_owner');
      await confirmed(context, values, {
        async new_owner() {
          if (!(await accounts.byName(name))) throw Invalid(t.later('error.noUser', { name }));
        },
      });
      const { repository } = context.resource;
      const then = await transfers.offer(repository, name, context.actor, teamIdsOf(values));
      return repositoryHome(services.site, then.repository);
    },
    async 'cancel-transfer'(context) {
      asOwner(context);
      await transfers.cancel(context.resource.repository);
      return context.resource.repository;
    },
    async delete(context, values) {
      asOwner(context);
      await confirmed(context, values);
      const { repository } = context.resource;
      await repositories.delete(repository, context.actor.id, {
        ...(await presenter.ofContext(context.resource, context.actor)),
      });
      return listHref(site.path('/user/repositories'), { deleted: `${repository.ownerName}/${repository.name}` });
    },
  };
}
