import type { VNode } from 'preact';
import { formatSize, icon, attempt, within, mediaTypeOf } from '@mortise/plugin-sdk';
import { MarkupBody, markupIslands, type Viewer } from '@mortise/markup/api';
import type { PathEntry } from '@mortise/git/api';
import { mediaOf } from '../services/media.js';
import {
  at,
  CommitBar,
  CopyButton,
  Crumbs,
  encodePath,
  lfsPointer,
  pageContextOf,
  Switcher,
  type CodePageContext,
  type RevisionView,
} from '@mortise/history/api';
import { buttonsOf } from './actions.js';
import { type PageServices } from './services.js';
import { decodeText } from '../services/text.js';
import { MediaBody, OpaqueBody, SourceBody } from './file-body.js';

const maxShown = 1 << 20;
const maxRendered = 512 << 10;
/** Of a larger text the beginning is shown, to the end of a line. */
const firstPart = 256 << 10;

interface Opened {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  /** Only of texts that are small enough. */
  readonly text?: string;
  readonly encoding?: string;
  readonly isLarge: boolean;
  /** The bytes lie in the store of large files. */
  readonly stored?: { readonly size: number; readonly found: boolean };
}

/** Looks into a file: what it is, and its text where it is one. Undefined: its object cannot be read. */
async function openFile(services: PageServices, view: RevisionView, entry: PathEntry): Promise<Opened | undefined> {
  const { git } = view;
  const name = view.path.slice(view.path.lastIndexOf('/') + 1);
  const size = (await git.info(entry.oid))?.size;
  if (size === undefined) return undefined;
  const whole = size <= maxShown ? await git.blob(entry.oid) : undefined;
  const head =
    whole ?? Buffer.concat(await (await git.blobStream(entry.oid, { start: 0, end: firstPart - 1 })).stream.toArray());
  const pointer = whole && size < 1024 ? lfsPointer(whole.toString('utf8')) : undefined;
  const kept = pointer && (await attempt(mediaOf(services.media, git, entry.oid), undefined));
  if (kept)
    return { name, size: kept.size, type: mediaTypeOf(name, kept.head), isLarge: true, stored: { size, found: true } };
  const utf16 = /^(\xff\xfe|\xfe\xff)/.test(head.subarray(0, 2).toString('latin1'));
  const type = utf16 ? 'text/plain; charset=utf-8' : mediaTypeOf(name, whole ?? head.subarray(0, 8192));
  const isReadable = type.startsWith('text/') || type === 'image/svg+xml';
  const readable = whole ?? (type.startsWith('text/') ? upToLine(head) : undefined);
  const decoded = readable && isReadable ? decodeText(readable) : undefined;
  return {
    name,
    size,
    type,
    ...decoded,
    isLarge: !whole,
    stored: pointer ? { size: pointer.size, found: false } : undefined,
  };
}

/** Bytes to the end of the last whole line, so that no character is cut. */
function upToLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10);
  return end < 0 ? bytes : bytes.subarray(0, end + 1);
}

async function Body({
  services,
  view,
  viewer,
  file,
  source,
}: {
  services: PageServices;
  view: RevisionView;
  viewer: Viewer;
  file: Opened;
  source: boolean;
}) {
  const { markup } = services;
  const { name, text } = file;
  const folder = view.path.slice(0, -name.length - 1);
  if (text !== undefined && !file.isLarge && !source && text.length <= maxRendered && markup.canRender(name)) {
    const html = await markup.renderFile(name, text, {
      viewer,
      linkBase: at(view, 'src', folder),
      imageBase: at(view, 'raw', folder),
      repository: `${view.repository.ownerName}/${view.repository.name}`,
    });
    if (html !== undefined) return <MarkupBody class="Box-body px-md-5" html={html} />;
  }
  const media = source
    ? undefined
    : MediaBody({ type: file.type, name, source: at(view, file.stored?.found ? 'media' : 'raw') });
  if (media) return media;
  if (text !== undefined) return SourceBody({ markup, name, text, view, viewer, isPart: file.isLarge });
  return (
    <OpaqueBody
      view={view}
      size={file.size}
      why={
        file.isLarge && file.type.startsWith('text/') ? 'The file is too large to be shown.' : 'The file is not text.'
      }
    />
  );
}

/** The page of a file. */
export async function filePage(services: PageServices, context: CodePageContext, view: RevisionView, entry: PathEntry) {
  const { views, pages, site, markup, verification } = services;
  const file = entry.mode === '120000' ? undefined : await attempt(openFile(services, view, entry), undefined);
  const latestId =
    (await within(3_000, view.git.lastCommit(view.revision.commit, view.path), undefined)) ?? view.revision.commit;
  const [latest] = await attempt(view.git.commits([latestId]), []);
  const [authors, proofs, beside, buttons] = await Promise.all([
    views.authors(latest ? [latest] : []),
    verification.judge(view.repository, latest ? [latest] : []),
    views.badges(view.context, [latestId]),
    buttonsOf(
      services,
      context,
      {
        path: view.path,
        type: 'file',
        editable:
          view.revision.kind === 'branch' &&
          file?.text !== undefined &&
          !file.isLarge &&
          file.encoding === 'UTF-8' &&
          !file.stored,
      },
      view.revision,
    ),
  ]);
  const source = context.query.display === 'source';
  const hasSource =
    file?.text !== undefined && !file.isLarge && (markup.canRender(file.name) || file.type === 'image/svg+xml');
  return pages.page(pageContextOf(context), 'code', {
    title: `${view.path} at ${view.revision.name}`,
    islands: [...markupIslands, 'lines', 'code', 'copy', 'shortcuts', 'filter'],
    body: (
      <div data-find={at(view, 'find', '')}>
        <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
          <Switcher view={view} word="src" />
          <Crumbs view={view} />
        </div>
        <div class="Box">
          {latest ? (
            <CommitBar
              commit={latest}
              account={authors.get(latest.author.email.toLowerCase())}
              view={view}
              path={site.path}
              avatarUrl={views.avatarUrl}
              proof={proofs[0]}
              badges={beside.get(latest.oid)}
            />
          ) : null}
          <div class="Box-row d-flex flex-wrap flex-items-center py-2" style="gap: 8px">
            <FileFacts file={file} mode={entry.mode} />
            {hasSource ? (
              <a class="btn btn-sm" href={source ? at(view, 'src') : `${at(view, 'src')}?display=source`}>
                {source ? 'Rendered' : 'Source'}
              </a>
            ) : null}
            <div class="BtnGroup">
              <a class="btn btn-sm BtnGroup-item" href={at(view, 'raw')}>
                Raw
              </a>
              {file?.text !== undefined && !file.isLarge ? (
                <a class="btn btn-sm BtnGroup-item" href={at(view, 'blame')}>
                  Blame
                </a>
              ) : null}
              <a class="btn btn-sm BtnGroup-item" href={at(view, 'commits')}>
                History
              </a>
              <a
                class="btn btn-sm BtnGroup-item"
                href={`${view.home}/src/commit/${view.revision.commit}/${encodePath(view.path)}`}
                data-permalink
              >
                Permalink
              </a>
            </div>
            {file?.text !== undefined && !file.isLarge && file.text.length < 200_000 ? (
              <CopyButton text={file.text} label="Copy the content" />
            ) : null}
            {buttons}
          </div>
          {entry.mode === '120000' ? (
            await LinkBody(view, entry)
          ) : file ? (
            await Body({ services, view, viewer: context, file, source })
          ) : (
            <p class="flash flash-error m-3">The object of this file cannot be read; the repository is damaged here.</p>
          )}
        </div>
      </div>
    ),
  });
}

function FileFacts({ file, mode }: { file: Opened | undefined; mode: string }): VNode {
  const lines =
    file?.text === undefined || file.isLarge
      ? undefined
      : file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0);
  return (
    <span class="f6 color-fg-muted flex-auto">
      {lines === undefined ? '' : `${lines} ${lines === 1 ? 'line' : 'lines'} · `}
      {file ? formatSize(file.size) : ''}
      {file?.encoding && file.encoding !== 'UTF-8' ? ` · ${file.encoding}` : ''}
      {mode === '100755' ? ' · executable' : ''}
      {file?.stored
        ? file.stored.found
          ? ' · stored with Git LFS'
          : ` · pointer to ${formatSize(file.stored.size)} in Git LFS`
        : ''}
    </span>
  );
}

/** A symbolic link shows where it leads, and links there when that is in the repository. */
async function LinkBody(view: RevisionView, entry: PathEntry): Promise<VNode> {
  const bytes = await attempt(view.git.blob(entry.oid, 8192), undefined);
  const target = bytes?.toString('utf8') ?? '';
  const segments = view.path.split('/').slice(0, -1);
  let inside = !target.startsWith('/') && target !== '';
  for (const segment of target.split('/')) {
    if (segment === '..') inside = segments.pop() !== undefined && inside;
    else if (segment && segment !== '.') segments.push(segment);
  }
  const path = segments.join('/');
  const there = inside && path ? await attempt(view.git.entry(view.revision.commit, path), undefined) : undefined;
  return (
    <div class="Box-body">
      {icon('file-symlink-file')} Symbolic link to{' '}
      {there ? (
        <a class="text-underline" href={at(view, 'src', path)}>
          {target}
        </a>
      ) : (
        <code class="wb-break-word">{target}</code>
      )}
      {there ? null : <span class="color-fg-muted"> (not in this repository)</span>}
    </div>
  );
}
