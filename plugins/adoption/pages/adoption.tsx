import type { VNode } from 'preact';
import {
  Blankslate,
  PostButton,
  Section,
  Forbidden,
  pageRoute,
  icon,
  type Route,
  type RouteContext,
  type Site,
  type Text,
  type WebPage,
  Pager,
  lastPage,
  checkTypedName,
  formRoute,
  savedFlash,
  formStatus,
  formText,
  type Flash,
} from '@mortise/plugin-sdk';
import type { AdoptionService } from '../services/adoption.js';
import type { AdoptionSettings } from '../settings.js';
import { t } from '../texts/index.js';

/** Puts a body into the layout of the place where the page lies. */
type Frame = (options: {
  active: string;
  title: Text;
  actor: RouteContext['actor'];
  body: VNode;
  status?: number;
  flash?: Flash;
}) => WebPage;

interface FolderListProps {
  readonly action: string;
  /** The adoption folder, as the settings name it. */
  readonly folder: string;
  /** `owner/name` of each. */
  readonly items: readonly string[];
  readonly page: number;
  readonly last: number;
  readonly mayAdopt: boolean;
  readonly mayDelete: boolean;
}

function FolderList({ action, folder, items, page, last, mayAdopt, mayDelete }: FolderListProps): VNode {
  return (
    <Section title={t('adopt.title')}>
      <p class="color-fg-muted">
        {t.rich('adopt.about', { folder: () => <code>{folder}</code>, path: () => <code>owner/name.git</code> })}
      </p>
      <ul class="Box list-style-none">
        {items.length === 0 ? (
          <li>
            <Blankslate title={t('adopt.none')} icon="file-directory" level={3} plain />
          </li>
        ) : null}
        {items.map((path) => (
          <li key={path} class="Box-row d-flex flex-wrap flex-items-center gap-2">
            <span class="flex-auto wb-break-all">
              {icon('file-directory')} {path}
            </span>
            {mayAdopt ? (
              <PostButton
                action={action}
                fields={{ action: 'adopt', path }}
                label={t('adopt.adoptOf', { path })}
                class="btn btn-sm btn-primary"
              >
                {t('adopt.adopt')}
              </PostButton>
            ) : null}
            {mayDelete ? (
              <PostButton
                action={action}
                fields={{ action: 'delete', path }}
                label={t('adopt.deleteOf', { path })}
                confirm={t('adopt.deleteConfirm', { path })}
                typed={path}
                danger
              >
                {t('adopt.delete')}
              </PostButton>
            ) : null}
          </li>
        ))}
      </ul>
      <Pager page={page} last={last} href={(to) => `?page=${to}`} />
    </Section>
  );
}

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
    return where.frame({
      active: where.key,
      title: t.later('adopt.title'),
      actor: context.actor,
      flash,
      status: formStatus(flash),
      body: (
        <FolderList
          action={site.path(where.path)}
          folder={settings.ADOPTION_PATH}
          items={items}
          page={number}
          last={lastPage(total, limit)}
          mayAdopt={mayAdopt}
          mayDelete={mayDelete}
        />
      ),
    });
  };

  return [
    pageRoute(where.path, access, (context) => page(context, savedFlash(context.query))),
    formRoute(
      where.path,
      access,
      async (context, values) => {
        const [owner = '', name = ''] = formText(values, 'path').split('/');
        const deletes = formText(values, 'action') === 'delete';
        if (!(deletes ? mayDelete : mayAdopt)) throw Forbidden(t.later('error.admin'));
        if (!where.everybody && owner.toLowerCase() !== context.actor.name.toLowerCase())
          throw Forbidden(t.later('error.otherOwner'));
        if (deletes) {
          checkTypedName(values, `${owner}/${name}`);
          await adoption.remove(owner, name);
        } else await adoption.adopt(owner, name, context.actor);
        return `${site.path(where.path)}?saved=1`;
      },
      (context, _values, flash) => page(context, flash),
    ),
  ];
}
