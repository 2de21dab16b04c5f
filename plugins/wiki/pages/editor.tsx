import type { VNode } from 'preact';
import { Csrf, icon, TextField, type Text, type WebPage } from '@mortise/plugin-sdk';
import { editorIslands, EditorTexts, MarkdownEditor, MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { WikiEntry } from '../contract/wiki.js';
import { t } from '../texts/index.js';
import { Heading, type WikiView } from './wiki-view.js';

export interface Draft {
  readonly title: string;
  readonly content: string;
  readonly message: string;
  /** Object id of the text that the editor started from; empty for a new page. */
  readonly base: string;
}

interface EditorOptions {
  /** Undefined: a new page. */
  readonly entry?: WikiEntry;
  readonly draft: Draft;
  /** Safe HTML. */
  readonly preview?: SafeHtml;
  readonly error?: Text;
  /** What is wrong with which field. */
  readonly fields?: Readonly<Record<string, Text>>;
  readonly status?: number;
}

/** The form for a new or an existing page; the preview is made by the server, so that it needs no script. */
export function editorView(view: WikiView, options: EditorOptions): WebPage {
  const { entry, error, fields, status } = options;
  return view.page({
    title: entry ? t.later('editor.edit', { title: entry.title }) : t.later('newPage'),
    status: status ?? 200,
    flash: error ? { kind: 'error', text: error, fields } : undefined,
    islands: editorIslands,
    body: <Editor view={view} {...options} />,
  });
}

function Editor({ view, entry, draft, preview }: EditorOptions & { readonly view: WikiView }): VNode {
  const code = (text: string) => <code>{text}</code>;
  const { repository } = view.context.resource;
  return (
    <div>
      <Heading title={entry ? t('editor.edit', { title: entry.title }) : t('newPage')}>
        {entry ? (
          <span class="d-flex gap-2">
            <a class="btn" href={view.href(entry.name, { action: '_revision' })} target="_blank" rel="noopener">
              {icon('history')} {t('history')}
            </a>
            <a class="btn btn-danger" href={view.href(entry.name, { action: '_delete' })}>
              {icon('trash')} {t('editor.delete')}
            </a>
          </span>
        ) : null}
      </Heading>
      <form method="post" action={entry ? view.href(entry.name, { action: '_edit' }) : `${view.wiki}/_new`}>
        <Csrf />
        <input type="hidden" name="base" value={draft.base} />
        <TextField
          name="title"
          label={t('editor.title')}
          required
          maxLength={255}
          value={draft.title}
          autofocus={!entry}
        />
        <MarkdownEditor
          id="wiki-text"
          name="content"
          label={t('editor.text')}
          hidden={false}
          lines={22}
          value={draft.content}
          repository={`${repository.ownerName}/${repository.name}`}
          withoutPreview
          note={t.rich('editor.note', {
            link: code('[[Page]]'),
            named: code('[[words|Page]]'),
            sidebar: code('_Sidebar'),
            footer: code('_Footer'),
          })}
        />
        {preview === undefined ? null : <Preview html={preview} />}
        <TextField
          name="message"
          label={t('editor.message')}
          maxLength={1000}
          value={draft.message}
          placeholder={entry ? t('editor.messageEdit', { name: entry.name }) : t('editor.messageNew')}
        />
        <div class="d-flex flex-wrap gap-2">
          <button class="btn btn-primary" type="submit" name="do" value="save">
            {t('editor.save')}
          </button>
          <button class="btn" type="submit" name="do" value="preview">
            {icon('eye')} {t('editor.preview')}
          </button>
          <a class="btn" href={entry ? view.href(entry.name) : view.wiki}>
            {t('editor.cancel')}
          </a>
        </div>
      </form>
      <EditorTexts />
    </div>
  );
}

function Preview({ html }: { html: SafeHtml }): VNode {
  return (
    <section class="Box mb-3" aria-label={t('editor.preview')}>
      <h3 class="Box-header f5">{t('editor.preview')}</h3>
      <div class="Box-body">{html ? <MarkupBody html={html} /> : <em>{t('editor.nothing')}</em>}</div>
    </section>
  );
}

/** Asks before a page goes. */
export function deleteView(view: WikiView, entry: WikiEntry): WebPage {
  return view.page({
    title: t.later('delete.title', { title: entry.title }),
    body: <Deletion view={view} entry={entry} />,
  });
}

function Deletion({ view, entry }: { readonly view: WikiView; readonly entry: WikiEntry }): VNode {
  return (
    <div class="Box p-3">
      <h2 class="f3 mb-2 wb-break-word">{t('delete.heading', { title: entry.title })}</h2>
      <p>{t('delete.text')}</p>
      <form method="post" action={view.href(entry.name, { action: '_delete' })} class="d-flex gap-2">
        <Csrf />
        <button class="btn btn-danger" type="submit">
          {t('delete.submit')}
        </button>
        <a class="btn" href={view.href(entry.name)}>
          {t('editor.cancel')}
        </a>
      </form>
    </div>
  );
}
