import type { VNode } from 'preact';
import { Csrf, icon, TextField } from '@mortise/plugin-sdk';
import type { EditTarget } from '../services/target.js';
import { CommitBox, type CommitDraft } from './commit-box.js';
import { Crumbs, Refusal, type Frame } from './shared.js';

interface FormProps {
  readonly frame: Frame;
  readonly target: EditTarget;
  readonly csrf: string;
  readonly commit: CommitDraft;
  readonly error?: string;
}

/** Files of one's own machine, into one folder. */
export function UploadForm(
  props: FormProps & { readonly maxFilesAtOnce: number; readonly maxMegabytes: number },
): VNode {
  const { frame, target, csrf, commit, error, maxFilesAtOnce, maxMegabytes } = props;
  return (
    <form method="post" action={frame.action(target, '_upload')} enctype="multipart/form-data">
      <Csrf token={csrf} />
      <Refusal text={error} />
      <Crumbs frame={frame} target={target} />
      <TextField
        name="folder"
        label="Folder"
        maxLength={1000}
        value={target.path}
        placeholder="Empty: the top of the repository"
        spellcheck={false}
        mono
      />
      <div class="Box p-4 mb-3 text-center editor-drop">
        <label>
          <span class="text-bold d-block mb-2">{icon('upload')} Files</span>
          <input type="file" name="file" multiple required />
        </label>
        <p class="note mt-2 mb-0">
          At most {maxFilesAtOnce} files of {maxMegabytes} MiB each. Files of the same names are replaced.
        </p>
      </div>
      <CommitBox target={target} draft={commit} placeholder="Upload files" />
      <button class="btn btn-primary mb-4" type="submit">
        {icon('git-commit')} Commit
      </button>
    </form>
  );
}

/** Asks before a file or folder goes. */
export function DeleteForm(props: FormProps & { readonly paths: readonly string[]; readonly sha: string }): VNode {
  const { frame, target, csrf, commit, error, paths, sha } = props;
  const isFolder = sha === '';
  return (
    <form method="post" action={frame.action(target, '_delete')}>
      <Csrf token={csrf} />
      <input type="hidden" name="sha" value={sha} />
      <Refusal text={error} />
      <Crumbs frame={frame} target={target} />
      <h2 class="f3 mb-3 wb-break-word">Delete {target.path}?</h2>
      {isFolder ? (
        <details class="Box mb-3">
          <summary class="Box-header f5">
            {paths.length} {paths.length === 1 ? 'file is' : 'files are'} deleted
          </summary>
          <ul class="Box-body list-style-none text-mono f6 mb-0">
            {paths.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </details>
      ) : null}
      <CommitBox target={target} draft={commit} placeholder={`Delete ${target.path}`} />
      <div class="d-flex mb-4" style="gap: 8px">
        <button class="btn btn-danger" type="submit">
          {icon('trash')} Delete {isFolder ? 'this folder' : 'this file'}
        </button>
        <a class="btn" href={frame.source(target)}>
          Keep it
        </a>
      </div>
    </form>
  );
}
