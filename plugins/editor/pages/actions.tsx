import type { VNode } from 'preact';
import { Menu, icon, withFallback, type Site } from '@mortise/plugin-sdk';
import type { FilePageContext } from '@mortise/files/api';
import type { GitReader } from '@mortise/git/api';
import { takesCommits, type BranchAccess } from '@mortise/repositories/api';
import { filesBelow, maxDeleted } from '../services/folder.js';
import { t } from '../texts/index.js';

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');

interface ActionServices {
  readonly site: Site;
  readonly gitReader: GitReader;
  readonly branchAccess: BranchAccess;
}

/** Milliseconds that a page waits for the number of files in a folder that it shows for the first time. */
const maxCount = 1000;

/** Buttons beside a file or folder; for those who may write there, on branches only. */
export async function actionsOf(
  filePage: FilePageContext,
  { site, gitReader, branchAccess }: ActionServices,
  uploads: boolean,
): Promise<VNode | null> {
  const { context, at, path, type, actor } = filePage;
  const { repository } = context;
  if (actor.kind !== 'user' || at.kind !== 'branch' || !takesCommits(repository)) return null;
  // branches that others let one write to are those of forks
  const isLet = async () => repository.forkOfId > 0 && (await branchAccess.branchesOf(actor, repository)).has(at.name);
  if (!context.may('write', 'code') && !(await isLet())) return null;
  const repositoryPath = site.path(
    `/${encodeURIComponent(repository.ownerName)}/${encodeURIComponent(repository.name)}`,
  );
  const href = (action: string) => `${repositoryPath}/${action}/${encode(at.name)}${path ? `/${encode(path)}` : ''}`;
  if (type === 'file')
    return <FileButtons edit={filePage.editable ? href('_edit') : undefined} remove={href('_delete')} />;
  const isSmall =
    !path ||
    (await withFallback(filesBelow(gitReader.open(repository.id), at.commit, path), [], maxCount)) !== undefined;
  return (
    <AddMenu
      create={href('_new')}
      upload={uploads ? href('_upload') : undefined}
      patch={`${repositoryPath}/_patch/${encode(at.name)}`}
      remove={path && isSmall ? href('_delete') : undefined}
      isLarge={!isSmall}
    />
  );
}

interface AddMenuProps {
  readonly create: string;
  readonly upload: string | undefined;
  readonly patch: string;
  /** Absent for the root, and for what is too large. */
  readonly remove: string | undefined;
  readonly isLarge: boolean;
}

function AddMenu({ create, upload, patch, remove, isLarge }: AddMenuProps): VNode {
  const entry = (href: string, label: string, style = '') => (
    <a class={`dropdown-item${style}`} href={href}>
      {label}
    </a>
  );
  return (
    <Menu
      class="btn btn-sm"
      button={
        <>
          {icon('plus')} {t('actions.add')}
        </>
      }
    >
      {entry(create, t('actions.new'))}
      {upload ? entry(upload, t('actions.upload')) : null}
      {entry(patch, t('actions.patch'))}
      {remove ? entry(remove, t('actions.deleteFolder'), ' color-fg-danger') : null}
      {isLarge ? <p class="f6 color-fg-muted px-2 py-1 mb-0">{t('actions.tooMany', { max: maxDeleted })}</p> : null}
    </Menu>
  );
}

function FileButtons({ edit, remove }: { edit: string | undefined; remove: string }): VNode {
  const button = (href: string, label: string, glyph: string) => (
    <a class="btn btn-sm" href={href} aria-label={label} title={label}>
      {icon(glyph)}
    </a>
  );
  return (
    <>
      {edit ? button(edit, t('actions.edit'), 'pencil') : null}
      {button(remove, t('actions.delete'), 'trash')}
    </>
  );
}
