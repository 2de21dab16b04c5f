import type { VNode } from 'preact';
import {
  PostButton,
  Section,
  Forbidden,
  defineRoute,
  icon,
  type Route,
  type RouteContext,
  type Site,
  type WebPage,
  Pager,
  lastPage,
  formRoute,
  savedFlash,
  formStatus,
  formText,
  type Flash,
} from '@mortise/plugin-sdk';
import type { AdoptionService } from '../services/adoption.js';
import type { AdoptionSettings } from '../settings.js';

/** Puts a body into the layout of the place where the page lies. */
type Frame = (options: {
  active: string;
  title: string;
  actor: RouteContext['actor'];
  body: VNode;
  status?: number;
  flash?: Flash;
}) => WebPage;

/** Folders that wait to be adopted: all for administrators, those under the own name for their owners. */
export function adoptionPageRoutes(
  services: { readonly adoption: AdoptionService; readonly settings: AdoptionSettings; readonly site: Site },
  where: { readonly path: string; readonly key: string; readonly frame: Frame; readonly everybody: boolean },
): Route[] {
  const { adoption, settings, site } = services;
  const mayAdopt = where.everybody || settings.ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES;
  const mayDelete = where.everybody || settings.ALLOW_DELETION_OF_UNADOPTED_REPOSITORIES;
  const access = { actor: where.everybody ? 'admin' : 'user' } as const;

  const page = async (context: RouteContext, flash?: Flash) => {
    const { page: number, limit, offset } = context.page;
    const { items, total } = where.everybody
      ? await adoption.list('', limit, offset)
      : await adoption.ofOwner(context.actor.name, limit, offset);
    const act = (name: string, path: string, label: string, look: string) => (
      <PostButton
        action={site.path(where.path)}
        csrf={context.csrf}
        fields={{ action: name, path }}
        label={`${label} ${path}`}
        class={`btn btn-sm ${look}`}
      >
        {label}
      </PostButton>
    );
    return where.frame({
      active: where.key,
      title: 'Folders to adopt',
      actor: context.actor,
      flash,
      status: formStatus(flash),
      body: (
        <Section title="Folders to adopt">
          <p class="color-fg-muted">
            Bare repositories that an operator has put into <code>{settings.ADOPTION_PATH}</code> of the work folder, as{' '}
            <code>owner/name.git</code>. Adopted, they are private repositories of that owner, and the folder is gone.
          </p>
          <ul class="Box list-style-none">
            {items.length === 0 ? <li class="Box-row color-fg-muted">Nothing waits.</li> : null}
            {items.map((path) => (
              <li class="Box-row d-flex flex-wrap flex-items-center" style="gap: 8px">
                <span class="flex-auto wb-break-all">
                  {icon('file-directory')} {path}
                </span>
                {mayAdopt ? act('adopt', path, 'Adopt', 'btn-primary') : null}
                {mayDelete ? act('delete', path, 'Delete', 'btn-danger') : null}
              </li>
            ))}
          </ul>
          <Pager page={number} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
        </Section>
      ),
    });
  };

  return [
    defineRoute({
      method: 'GET',
      path: where.path,
      surface: 'page',
      access,
      handler: (context) => page(context, savedFlash(context.query)),
    }),
    formRoute(
      where.path,
      access,
      async (context, values) => {
        const [owner = '', name = ''] = formText(values, 'path').split('/');
        const deletes = formText(values, 'action') === 'delete';
        if (!(deletes ? mayDelete : mayAdopt)) throw Forbidden('only administrators may do this');
        if (!where.everybody && owner.toLowerCase() !== context.actor.name.toLowerCase())
          throw Forbidden('the folder lies under the name of another');
        if (deletes) await adoption.remove(owner, name);
        else await adoption.adopt(owner, name, context.actor);
        return `${site.path(where.path)}?saved=1`;
      },
      (context, _values, flash) => page(context, flash),
    ),
  ];
}
