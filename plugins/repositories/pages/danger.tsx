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
import { type PageDeps } from './page-deps.js';
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

type TeamOwners = DangerZoneProps['owners'];

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

interface DangerZoneProps {
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
}

/** A form that does one of the {@link dangerActions}. */
const ActionForm = ({
  zone,
  name,
  children,
}: {
  readonly zone: Pick<DangerZoneProps, 'action' | 'pageContext'>;
  readonly name: string;
  readonly children: ComponentChildren;
}): VNode => (
  <form method="post" action={zone.action} class="d-flex flex-wrap gap-2">
    <Csrf />
    <input type="hidden" name="action" value={name} />
    {children}
  </form>
);

const DangerButton = ({ label }: { readonly label: string }): VNode => (
  <button class="btn btn-danger" type="submit">
    {label}
  </button>
);

/** The name of the repository is typed, so that nobody does it by a slip. */
const ConfirmField = ({ of, repository }: { readonly of: string; readonly repository: Repository }): VNode => (
  <LineField name="confirm" id={`confirm-${of}`} label={t('danger.confirm')} placeholder={repository.name} />
);

const fullNameOf = ({ ownerName, name }: Repository) => `${ownerName}/${name}`;

function VisibilityRow({ pageContext, action, forcePrivate }: DangerZoneProps): VNode | null {
  const { repository } = pageContext.context;
  if (repository.forkOfId)
    return (
      <Row title={t('danger.visibility')} text={t('danger.forkVisibility')}>
        <span class="Label">{t(repository.isPrivate ? 'repo.private' : 'repo.public')}</span>
      </Row>
    );
  if (forcePrivate) return null;
  return (
    <Row
      title={t(repository.isPrivate ? 'danger.publish' : 'danger.hide')}
      text={t(repository.isPrivate ? 'danger.publishNote' : 'danger.hideNote')}
    >
      <PostButton
        action={action}
        fields={{ action: repository.isPrivate ? 'publish' : 'hide' }}
        class="btn btn-danger"
        confirm={t(repository.isPrivate ? 'danger.publishConfirm' : 'danger.hideConfirm', {
          name: fullNameOf(repository),
        })}
      >
        {t(repository.isPrivate ? 'danger.publish' : 'danger.hide')}
      </PostButton>
    </Row>
  );
}

function ArchiveRow({ pageContext, action }: DangerZoneProps): VNode {
  const { repository } = pageContext.context;
  return (
    <Row
      title={t(repository.isArchived ? 'danger.unarchive' : 'danger.archive')}
      text={t(repository.isArchived ? 'danger.unarchiveNote' : 'danger.archiveNote')}
    >
      {repository.isArchived ? (
        <ActionForm zone={{ action, pageContext }} name="unarchive">
          <DangerButton label={t('danger.unarchive')} />
        </ActionForm>
      ) : (
        <PostButton
          action={action}
          fields={{ action: 'archive' }}
          class="btn btn-danger"
          confirm={t('danger.archiveConfirm', { name: fullNameOf(repository) })}
        >
          {t('danger.archive')}
        </PostButton>
      )}
    </Row>
  );
}

function TransferRow(props: DangerZoneProps): VNode {
  const { pageContext, offeredTo, newOwner, owners, chosenTeams } = props;
  if (offeredTo)
    return (
      <Row title={t('danger.transfer')} text={t('danger.transferPending', { name: offeredTo })}>
        <ActionForm zone={props} name="cancel-transfer">
          <DangerButton label={t('danger.cancelTransfer')} />
        </ActionForm>
      </Row>
    );
  return (
    <Row
      title={t('danger.transfer')}
      text={t(pageContext.actor.isAdmin ? 'danger.transferAdmin' : 'danger.transferNote')}
    >
      <ActionForm zone={props} name="transfer">
        <LineField name="new_owner" label={t('danger.newOwner')} value={newOwner} isUser list="own-accounts" />
        <datalist id="own-accounts">
          {owners.map(({ name }) => (
            <option key={name} value={name} data-kept="" />
          ))}
        </datalist>
        <TeamChoice owners={owners} chosen={chosenTeams} />
        <ConfirmField of="transfer" repository={pageContext.context.repository} />
        <DangerButton label={t('danger.transfer')} />
      </ActionForm>
    </Row>
  );
}

/** What only owners may do. */
function OwnerRows(props: DangerZoneProps): VNode {
  const { repository } = props.pageContext.context;
  return (
    <>
      {repository.forkOfId ? (
        <Row title={t('danger.detach')} text={t('danger.detachNote')}>
          <ActionForm zone={props} name="part">
            <ConfirmField of="part" repository={repository} />
            <DangerButton label={t('danger.detach')} />
          </ActionForm>
        </Row>
      ) : null}
      <TransferRow {...props} />
      <Row title={t('danger.delete')} text={t('danger.deleteNote')}>
        <ActionForm zone={props} name="delete">
          <ConfirmField of="delete" repository={repository} />
          <DangerButton label={t('danger.deleteSubmit')} />
        </ActionForm>
      </Row>
    </>
  );
}

/** What is hard to undo; each needs the name of the repository typed or is one click that can be taken back. */
export const DangerZone = (props: DangerZoneProps): VNode => (
  <section class="Box color-border-danger-emphasis mb-4" id="danger-zone">
    <div class="Box-header color-border-danger-emphasis">
      <h2 class="Box-title color-fg-danger">{t('danger.title')}</h2>
    </div>
    <VisibilityRow {...props} />
    <ArchiveRow {...props} />
    {props.pageContext.context.may('owner') ? <OwnerRows {...props} /> : null}
  </section>
);

/** What the forms of {@link DangerZone} do: give the repository as it is then, or where to go. */
export function dangerActions(
  services: PageDeps,
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
