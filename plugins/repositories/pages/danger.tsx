import type { ComponentChildren, VNode } from 'preact';
import { Csrf, Forbidden, Invalid, PostButton, formText, type FormValues } from '@mortise/plugin-sdk';
import { type Repository, type RepositoryPlace, repositoryHome, type RepositoryRoute } from '../api.js';
import { type PageServices } from './shared.js';

function Row({ title, text, children }: { title: string; text: string; children: ComponentChildren }): VNode {
  return (
    <div class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
      <div class="flex-auto" style="flex-basis: 300px">
        <strong>{title}</strong>
        <p class="mb-0 color-fg-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}

/** What is hard to undo; each needs the name of the repository typed or is one click that can be taken back. */
export function DangerZone(props: {
  place: RepositoryPlace;
  action: string;
  forcePrivate: boolean;
  offeredTo: string;
  /** Who was named when it was refused. */
  newOwner?: string;
}): VNode {
  const { place, action, forcePrivate, offeredTo, newOwner } = props;
  const { repository } = place.context;
  const isOwner = place.context.may('owner');
  const act = (name: string, children: ComponentChildren) => (
    <form method="post" action={action} class="d-flex flex-wrap" style="gap: 8px">
      <Csrf token={place.csrf} />
      <input type="hidden" name="action" value={name} />
      {children}
    </form>
  );
  const button = (label: string) => (
    <button class="btn btn-danger" type="submit">
      {label}
    </button>
  );
  const typed = (
    <input
      class="form-control"
      name="confirm"
      aria-label="Name of the repository, to confirm"
      placeholder={repository.name}
      autocomplete="off"
      required
    />
  );
  return (
    <section class="Box color-border-danger-emphasis mb-4">
      <div class="Box-header color-border-danger-emphasis">
        <h2 class="Box-title color-fg-danger">Danger zone</h2>
      </div>
      {repository.forkOfId ? (
        <Row title="Visibility" text="A fork is as visible as its original.">
          <span class="Label">{repository.isPrivate ? 'Private' : 'Public'}</span>
        </Row>
      ) : forcePrivate ? null : (
        <Row
          title={repository.isPrivate ? 'Make public' : 'Make private'}
          text={
            repository.isPrivate
              ? 'Everybody can read it then, and its whole history; its forks go along.'
              : 'Only collaborators see it then; its forks go along.'
          }
        >
          <PostButton
            action={action}
            csrf={place.csrf}
            fields={{ action: repository.isPrivate ? 'publish' : 'hide' }}
            class="btn btn-danger"
            confirm={
              repository.isPrivate
                ? `Show ${repository.ownerName}/${repository.name} and all that was ever committed to it to everybody?`
                : `Hide ${repository.ownerName}/${repository.name} from everybody but its collaborators?`
            }
          >
            {repository.isPrivate ? 'Make public' : 'Make private'}
          </PostButton>
        </Row>
      )}
      <Row
        title={repository.isArchived ? 'Take out of the archive' : 'Archive'}
        text="An archived repository can be read, not changed."
      >
        {act(repository.isArchived ? 'unarchive' : 'archive', button(repository.isArchived ? 'Unarchive' : 'Archive'))}
      </Row>
      {isOwner && repository.forkOfId ? (
        <Row title="Part from the original" text="It is no fork any more, and no longer follows its visibility.">
          {act('part', [typed, button('Part')])}
        </Row>
      ) : null}
      {isOwner && offeredTo ? (
        <Row title="Transfer" text={`It is offered to ${offeredTo}, who has not answered yet.`}>
          {act('cancel-transfer', button('Take the offer back'))}
        </Row>
      ) : null}
      {isOwner && !offeredTo ? (
        <Row
          title="Transfer"
          text={`Another account owns it ${place.actor.isAdmin ? 'at once' : 'as soon as it accepts'}. Type both names to confirm.`}
        >
          {act('transfer', [
            <input
              class="form-control"
              name="new_owner"
              aria-label="New owner"
              placeholder="New owner"
              value={newOwner}
              autocomplete="off"
              required
            />,
            typed,
            button('Transfer'),
          ])}
        </Row>
      ) : null}
      {isOwner ? (
        <Row
          title="Delete"
          text="Its files, history and everything about it are gone for good. Type the name to confirm."
        >
          {act('delete', [typed, button('Delete this repository')])}
        </Row>
      ) : null}
    </section>
  );
}

/** What the forms of {@link DangerZone} do: give the repository as it is then, or where to go. */
export function dangerActions(
  services: PageServices,
): Readonly<Record<string, (context: RepositoryRoute, values: FormValues) => Promise<Repository | string>>> {
  const { repositories, transfers, presenter, settings, site } = services;
  const edit = (changes: Parameters<typeof repositories.edit>[1]) => (context: RepositoryRoute) =>
    repositories.edit(context.subject.repository, changes, context.actor);
  const asOwner = ({ subject }: RepositoryRoute) => {
    if (!subject.may('owner')) throw Forbidden('only the owner may do this');
  };
  const confirmed = ({ subject }: RepositoryRoute, values: FormValues) => {
    if (formText(values, 'confirm') !== subject.repository.name)
      throw Invalid('the typed name is not the name of this repository');
  };
  const visibility = (isPrivate: boolean) => (context: RepositoryRoute) => {
    if (settings.FORCE_PRIVATE && !context.actor.isAdmin) throw Forbidden('repositories are private here');
    return edit({ isPrivate })(context);
  };
  return {
    archive: edit({ isArchived: true }),
    unarchive: edit({ isArchived: false }),
    publish: visibility(false),
    hide: visibility(true),
    async part(context, values) {
      asOwner(context);
      confirmed(context, values);
      return repositories.part(context.subject.repository, context.actor);
    },
    async transfer(context, values) {
      asOwner(context);
      confirmed(context, values);
      const { repository } = context.subject;
      const then = await transfers.offer(repository, formText(values, 'new_owner'), context.actor, []);
      return repositoryHome(services.site, then.repository);
    },
    async 'cancel-transfer'(context) {
      asOwner(context);
      await transfers.cancel(context.subject.repository);
      return context.subject.repository;
    },
    async delete(context, values) {
      asOwner(context);
      confirmed(context, values);
      const { repository } = context.subject;
      await repositories.delete(repository, context.actor.id, {
        ...(await presenter.ofContext(context.subject, context.actor)),
      });
      return site.path(`/${repository.ownerName}`);
    },
  };
}
