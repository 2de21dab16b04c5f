import type { VNode } from 'preact';
import { CheckField, Csrf, icon, TextField } from '@mortise/plugin-sdk';
import type { Attachment } from '@mortise/attachments/api';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { Release } from '../api.js';
import { encoded } from '../services/present.js';
import { sizeText } from './parts.js';

/** What the form holds; texts as the person wrote them. */
export interface FormValues {
  readonly tagName: string;
  readonly target: string;
  readonly tagMessage: string;
  readonly title: string;
  readonly note: string;
  readonly isPrerelease: boolean;
}

export interface FormProps {
  readonly csrf: string;
  /** Address of the repository's page. */
  readonly home: string;
  readonly action: string;
  readonly values: FormValues;
  /** Undefined: a new one. */
  readonly release?: Release;
  readonly assets: readonly Attachment[];
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  /** Safe HTML. */
  readonly preview?: SafeHtml;
  readonly mostFiles: number;
  /** Bytes; undefined: no limit. */
  readonly maxBytes: number | undefined;
}

/** New and edit: one form, three buttons, no script needed. */
export function ReleaseForm(props: FormProps): VNode {
  const { csrf, home, action, values, release, preview } = props;
  const isOut = release !== undefined && !release.isDraft;
  return (
    <div>
      <form method="post" action={action} encType="multipart/form-data">
        <h2 class="f2 mb-3">{release ? `Edit ${release.title || release.tagName}` : 'New release'}</h2>
        <Csrf token={csrf} />
        {preview === undefined ? null : (
          <section class="Box mb-3" aria-label="Preview of the notes">
            <h3 class="Box-header Box-title f5">Preview</h3>
            <MarkupBody class="Box-body" html={preview} />
          </section>
        )}
        <TagFields {...props} />
        <TextField
          name="title"
          label="Title"
          maxLength={255}
          value={values.title}
          note="Without one the tag stands for it."
        />
        <TextField name="note" label="Notes" lines={12} value={values.note} note="Markdown." />
        <button class="btn btn-sm mb-2" type="submit" name="action" value="preview" formNoValidate>
          {icon('eye')} Preview
        </button>
        <CheckField
          name="prerelease"
          value="on"
          label="Pre-release"
          checked={values.isPrerelease}
          note="Not ready for everybody; it is never shown as the latest."
        />
        <FileFields {...props} />
        <div class="d-flex flex-wrap mt-4" style="gap: 8px">
          <button class="btn btn-primary" type="submit" name="action" value="publish">
            {isOut ? 'Save' : 'Publish'}
          </button>
          <button class="btn" type="submit" name="action" value="draft">
            {isOut ? 'Take back as draft' : 'Save as draft'}
          </button>
          <a class="btn btn-invisible" href={`${home}/releases`}>
            Cancel
          </a>
        </div>
      </form>
      {release ? <DeleteForm csrf={csrf} home={home} release={release} /> : null}
    </div>
  );
}

function TagFields({ values, branches, tags, release }: FormProps): VNode {
  const isOut = release !== undefined && !release.isDraft;
  return (
    <fieldset class="Box p-3 mb-3" style="min-width: 0">
      <legend class="f5 text-bold px-1">Tag</legend>
      <div class="d-flex flex-wrap" style="column-gap: 16px">
        <TextField
          name="tag_name"
          label="Name"
          required
          maxLength={191}
          list="release-tags"
          placeholder="v1.0.0"
          value={values.tagName}
          short
        />
        <TextField
          name="target"
          label="Target"
          maxLength={255}
          list="release-branches"
          placeholder={branches[0] ?? 'Branch or commit'}
          value={values.target}
          short
        />
      </div>
      <p class="note">
        A tag that is there is taken as it is; a new one is made on the target, a branch or commit, when the release is
        published.
      </p>
      <datalist id="release-tags">
        {tags.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <datalist id="release-branches">
        {branches.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      {isOut ? null : (
        <details class="mt-2" open={values.tagMessage !== ''}>
          <summary>Message of the tag</summary>
          <label>
            <span class="sr-only">Message of the tag</span>
            <textarea class="form-control input-block text-normal mt-1" name="tag_message" rows={3}>
              {`\n${values.tagMessage}`}
            </textarea>
          </label>
          <p class="note">With one, a new tag is an annotated tag.</p>
        </details>
      )}
    </fieldset>
  );
}

function FileFields({ assets, mostFiles, maxBytes }: FormProps): VNode {
  return (
    <fieldset class="Box p-3 mt-3" style="min-width: 0">
      <legend class="f5 text-bold px-1">Files</legend>
      {assets.map((asset) => (
        <div class="d-flex flex-wrap flex-items-center mb-2" style="gap: 8px">
          <input
            class="form-control flex-auto"
            style="flex-basis: 220px; min-width: 0"
            name={`name-${asset.id}`}
            maxLength={255}
            value={asset.name}
            aria-label={`Name of ${asset.name}`}
          />
          <span class="d-flex flex-items-center f6" style="gap: 8px">
            <span class="color-fg-muted no-wrap">{asset.externalUrl ? 'elsewhere' : sizeText(asset.size)}</span>
            <label class="no-wrap text-normal">
              <input type="checkbox" name={`remove-${asset.id}`} value="on" /> Remove
            </label>
          </span>
        </div>
      ))}
      <div>
        <label>
          <span class="d-block text-bold mb-1">Add files</span>
          <input type="file" class="text-normal" name="files" multiple style="max-width: 100%" />
        </label>
        <p class="note">
          At most {mostFiles} at once{maxBytes === undefined ? '' : `, each up to ${sizeText(maxBytes)}`}.
        </p>
        <details class="mt-2">
          <summary>Add a file that lies elsewhere</summary>
          <div class="d-flex flex-wrap mt-1" style="gap: 8px">
            <input class="form-control" name="external_name" maxLength={255} placeholder="Name" aria-label="Name" />
            <input
              class="form-control flex-auto"
              style="min-width: 0"
              type="url"
              name="external_url"
              maxLength={2000}
              placeholder="https://…"
              aria-label="Address"
            />
          </div>
        </details>
      </div>
    </fieldset>
  );
}

function DeleteForm({ csrf, home, release }: { csrf: string; home: string; release: Release }): VNode {
  return (
    <details class="mt-4">
      <summary class="btn btn-danger">Delete this release</summary>
      <form
        method="post"
        action={`${home}/releases/delete/${encoded(release.tagName)}`}
        class="Box color-border-danger p-3 mt-2"
      >
        <Csrf token={csrf} />
        <p>Its notes and files are gone for good.</p>
        {release.isDraft ? null : (
          <CheckField name="delete_tag" value="on" label={`Delete the tag ${release.tagName} too`} />
        )}
        <button class="btn btn-danger" type="submit">
          Delete for good
        </button>
      </form>
    </details>
  );
}
