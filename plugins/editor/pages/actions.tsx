import type { VNode } from 'preact';
import { icon, within, type Site } from '@mortise/plugin-sdk';
import type { FilePageContext } from '@mortise/files/api';
import type { GitReader } from '@mortise/git/api';
import { filesBelow, maxDeleted } from '../services/folder.js';

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');

export interface ActionServices {
  readonly site: Site;
  readonly gitReader: GitReader;
}

/** Milliseconds that a page waits for the number of files in a folder that it shows for the first time. */
const maxCount = 1000;

/** Buttons beside a file or folder; for those who may write, on branches only. */
export async function actionsOf(
  filePage: FilePageContext,
  { site, gitReader }: ActionServices,
  uploads: boolean,
): Promise<VNode | null> {
  const { context, at, path, type, actor } = filePage;
  const { repository } = context;
  if (actor.kind !== 'user' || at.kind !== 'branch' || repository.isArchived || !context.may('write', 'code'))
    return null;
  const home = site.path(`/${encodeURIComponent(repository.ownerName)}/${encodeURIComponent(repository.name)}`);
  const href = (action: string) => `${home}/${action}/${encode(at.name)}${path ? `/${encode(path)}` : ''}`;
  if (type === 'folder') {
    const few =
      !path || (await within(maxCount, filesBelow(gitReader.open(repository.id), at.commit, path), [])) !== undefined;
    return (
      <details class="details-reset details-overlay dropdown d-inline-block">
        <summary class="btn btn-sm" aria-haspopup="menu">
          Add file {icon('triangle-down')}
        </summary>
        <ul class="dropdown-menu dropdown-menu-sw">
          <li>
            <a class="dropdown-item" href={href('_new')}>
              New file
            </a>
          </li>
          {uploads ? (
            <li>
              <a class="dropdown-item" href={href('_upload')}>
                Upload files
              </a>
            </li>
          ) : null}
          <li>
            <a class="dropdown-item" href={`${home}/_patch/${encode(at.name)}`}>
              Apply a patch
            </a>
          </li>
          {path && few ? (
            <li>
              <a class="dropdown-item color-fg-danger" href={href('_delete')}>
                Delete this folder
              </a>
            </li>
          ) : null}
          {few ? null : (
            <li class="f6 color-fg-muted" style="padding: 6px 10px">
              More than {maxDeleted} files: delete this folder with git.
            </li>
          )}
        </ul>
      </details>
    );
  }
  return (
    <>
      {filePage.editable ? (
        <a class="btn btn-sm ml-1" href={href('_edit')} aria-label="Edit this file" title="Edit this file">
          {icon('pencil')}
        </a>
      ) : null}
      <a class="btn btn-sm ml-1" href={href('_delete')} aria-label="Delete this file" title="Delete this file">
        {icon('trash')}
      </a>
    </>
  );
}
