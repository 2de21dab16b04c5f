import type { VNode } from 'preact';
import { Csrf, icon, TextField, type WebPage } from '@mortise/plugin-sdk';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { WikiEntry } from '../api.js';
import { Heading, type Visit } from './shared.js';

export interface Draft {
  readonly title: string;
  readonly content: string;
  readonly message: string;
  /** Object id of the text that the editor started from; empty for a new page. */
  readonly base: string;
}

export interface EditorOptions {
  /** Undefined: a new page. */
  readonly entry?: WikiEntry;
  readonly draft: Draft;
  /** Safe HTML. */
  readonly preview?: SafeHtml;
  readonly error?: string;
  readonly status?: number;
}

/** The form for a new or an existing page; the preview is made by the server, so that it needs no script. */
export function editorView(visit: Visit, { entry, draft, preview, error, status }: EditorOptions): WebPage {
  const title = entry ? `Edit ${entry.title}` : 'New page';
  const back = entry ? visit.href(entry.name) : visit.wiki;
  return visit.page({
    title,
    status: status ?? 200,
    flash: error ? { kind: 'error', text: error } : undefined,
    body: (
      <div>
        <Heading title={title}>
          {entry ? (
            <span class="d-flex" style="gap: 8px">
              <a class="btn" href={visit.href(entry.name, { action: '_revision' })} target="_blank" rel="noopener">
                {icon('history')} History
              </a>
              <a class="btn btn-danger" href={visit.href(entry.name, { action: '_delete' })}>
                {icon('trash')} Delete
              </a>
            </span>
          ) : null}
        </Heading>
        <form method="post" action={entry ? visit.href(entry.name, { action: '_edit' }) : `${visit.wiki}/_new`}>
          <Csrf token={visit.context.csrf} />
          <input type="hidden" name="base" value={draft.base} />
          <TextField name="title" label="Title" required maxLength={255} value={draft.title} autofocus={!entry} />
          <label class="d-block mb-1">
            <span class="text-bold d-block mb-1">Text</span>
            <textarea class="form-control input-block input-monospace text-normal wiki-text" name="content" rows={22}>
              {/* browsers drop the first line feed of a text area */}
              {`\n${draft.content}`}
            </textarea>
          </label>
          <p class="note mb-3">
            Markdown. <code>[[Page]]</code> and <code>[[words|Page]]</code> lead to other pages; pages named{' '}
            <code>_Sidebar</code> and <code>_Footer</code> stand beside and below every page.
          </p>
          {preview === undefined ? null : <Preview html={preview} />}
          <TextField
            name="message"
            label="What has changed"
            maxLength={1000}
            value={draft.message}
            placeholder={entry ? `Update "${entry.name}"` : 'Add "…"'}
          />
          <div class="d-flex flex-wrap" style="gap: 8px">
            <button class="btn btn-primary" type="submit" name="do" value="save">
              Save page
            </button>
            <button class="btn" type="submit" name="do" value="preview">
              {icon('eye')} Preview
            </button>
            <a class="btn btn-invisible" href={back}>
              Cancel
            </a>
          </div>
        </form>
      </div>
    ),
  });
}

function Preview({ html }: { html: SafeHtml }): VNode {
  return (
    <section class="Box mb-3" aria-label="Preview">
      <h3 class="Box-header f5">Preview</h3>
      <div class="Box-body">{html ? <MarkupBody html={html} /> : <em>Empty.</em>}</div>
    </section>
  );
}

/** Asks before a page goes. */
export function deleteView(visit: Visit, entry: WikiEntry): WebPage {
  return visit.page({
    title: `Delete ${entry.title}`,
    body: (
      <div class="Box p-3">
        <h2 class="f3 mb-2 wb-break-word">Delete “{entry.title}”?</h2>
        <p>The page goes from the wiki. Its history stays: whoever may write can restore it from there.</p>
        <form method="post" action={visit.href(entry.name, { action: '_delete' })} class="d-flex" style="gap: 8px">
          <Csrf token={visit.context.csrf} />
          <button class="btn btn-danger" type="submit">
            Delete this page
          </button>
          <a class="btn" href={visit.href(entry.name)}>
            Keep it
          </a>
        </form>
      </div>
    ),
  });
}
