import type { RawQuery } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { CopyButton, withFallback, formatSize, icon } from '@mortise/plugin-sdk';
import { MarkupBody, markupIslands, type Viewer } from '@mortise/markup/api';
import type { PathEntry } from '@mortise/git/api';
import {
  at,
  CodeBody,
  CommitBar,
  Crumbs,
  encodePath,
  ModelBody,
  modelFormatOf,
  pageContextOf,
  Switcher,
  type CodePageContext,
  type RevisionView,
} from '@mortise/history/api';
import { buttonsOf, lineActionsOf, noticesOf } from './actions.js';
import { LineMenu } from './line-menu.js';
import type { LineAction } from '../contract/files.js';
import { type PageDeps } from './page-deps.js';
import { openFile, type OpenedFile } from '../services/opened-file.js';
import { hasOutline } from '../services/symbols/file-outlines.js';
import { symbolLanguageOf } from '../services/symbols/symbol-languages.js';
import { lineCountOf } from '../services/text.js';
import { OpaqueBody, mediaBody, sourceBody } from './file-body.js';
import { SymbolsButton, SymbolsPanel } from './symbols.js';
import { t } from '../texts/index.js';

const maxRendered = 512 << 10;

async function bodyOf({
  services,
  view,
  viewer,
  file,
  source,
}: {
  services: PageDeps;
  view: RevisionView;
  viewer: Viewer;
  file: OpenedFile;
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
    if (html !== undefined) return <MarkupBody class="Box-body px-md-5" html={html} outline />;
  }
  if (!source) {
    const address = at(view, file.stored?.found ? 'media' : 'raw');
    const format = modelFormatOf(file);
    if (format) return <ModelBody name={name} format={format} source={address} />;
    const media = mediaBody({ type: file.type, name, source: address });
    if (media) return media;
  }
  if (text !== undefined) return sourceBody({ markup, name, text, view, viewer, isPart: file.isLarge });
  return <OpaqueBody view={view} size={file.size} isText={file.isLarge && file.type.startsWith('text/')} />;
}

/** The page of a file. */
export async function filePage(
  services: PageDeps,
  context: CodePageContext<unknown, RawQuery>,
  view: RevisionView,
  entry: PathEntry,
) {
  const { views, pages, site, markup, verification } = services;
  const file =
    entry.mode === '120000' ? undefined : await withFallback(openFile(services.media, view, entry), undefined);
  const latestId =
    (await withFallback(view.git.lastCommit(view.revision.commit, view.path), undefined, 3_000)) ??
    view.revision.commit;
  const [latest] = await withFallback(view.git.commits([latestId]), []);
  const shown = {
    path: view.path,
    type: 'file' as const,
    editable:
      view.revision.kind === 'branch' &&
      file?.text !== undefined &&
      !file.isLarge &&
      file.encoding === 'UTF-8' &&
      !file.stored,
  };
  const [authors, verifications, beside, buttons, notices] = await Promise.all([
    views.authors(latest ? [latest] : []),
    verification.verifyWithTrust(view.repository, latest ? [latest] : []),
    views.badges(view.context, [latestId]),
    buttonsOf(services, context, shown, view.revision),
    noticesOf(services, context, shown, view.revision),
  ]);
  const source = context.query.display === 'source';
  const hasSource =
    file?.text !== undefined &&
    !file.isLarge &&
    (markup.canRender(file.name) || file.type === 'image/svg+xml' || modelFormatOf(file) !== undefined);
  const hasModel = !source && file !== undefined && modelFormatOf(file) !== undefined;
  return pages.page(pageContextOf(context), 'code', {
    title: t.later('home.titleAt', { path: view.path, name: view.revision.name }),
    islands: [
      ...markupIslands,
      'lines',
      'code',
      'folding',
      'line-menu',
      'symbols',
      'shortcuts',
      'filter',
      ...(hasModel ? ['model'] : []),
    ],
    body: (
      <FileView
        view={view}
        file={file}
        mode={entry.mode}
        rendering={hasSource ? (source ? 'source' : 'rendered') : undefined}
        bar={
          latest ? (
            <CommitBar
              commit={latest}
              account={authors.get(latest.author.email.toLowerCase())}
              view={view}
              path={site.path}
              avatarUrl={views.avatarUrl}
              verification={verifications[0]}
              badges={beside.get(latest.oid)}
            />
          ) : null
        }
        buttons={buttons}
        notices={notices}
        lineActions={lineActionsOf(services, context, shown, view.revision)}
        body={
          entry.mode === '120000'
            ? await linkBody(view, entry)
            : file && (await bodyOf({ services, view, viewer: context, file, source }))
        }
      />
    ),
  });
}

interface FileViewProps {
  readonly view: RevisionView;
  readonly file: OpenedFile | undefined;
  readonly mode: string;
  /** How a file is shown that has two ways. */
  readonly rendering: 'source' | 'rendered' | undefined;
  readonly bar: VNode | null;
  readonly buttons: readonly (VNode | null)[];
  readonly notices: readonly (VNode | null)[];
  readonly lineActions: readonly LineAction[];
  /** Undefined: its object cannot be read. */
  readonly body: VNode | undefined;
}

/** Longer texts are not put into the page a second time for a button that copies them. */
const maxCopied = 200_000;

function FileView({ view, file, mode, rendering, bar, buttons, notices, lineActions, body }: FileViewProps): VNode {
  const text = file?.isLarge ? undefined : file?.text;
  const hasLines = text !== undefined && rendering !== 'rendered';
  const hasSymbols = hasLines && hasOutline(symbolLanguageOf(view.path), text);
  const permalink = `${view.repositoryPath}/src/commit/${view.revision.commit}/${encodePath(view.path)}`;
  return (
    <CodeBody find={at(view, 'find', '')}>
      <div class="code-row mb-3">
        <Switcher view={view} word="src" />
        <Crumbs view={view} />
      </div>
      {notices}
      <div class="Box">
        {bar}
        <div class="Box-row code-row py-2">
          <FileDetails file={file} mode={mode} />
          {hasSymbols ? <SymbolsButton view={view} /> : null}
          {hasLines ? <WrapSwitch /> : null}
          {rendering ? (
            <a class="btn btn-sm" href={rendering === 'source' ? at(view, 'src') : `${at(view, 'src')}?display=source`}>
              {rendering === 'source' ? t('file.rendered') : t('file.source')}
            </a>
          ) : null}
          <div class="BtnGroup">
            <a class="btn btn-sm BtnGroup-item" href={at(view, 'raw')}>
              {t('file.raw')}
            </a>
            {canBlame(view, file) ? (
              <a class="btn btn-sm BtnGroup-item" href={at(view, 'blame')}>
                {t('file.blame')}
              </a>
            ) : null}
            <a class="btn btn-sm BtnGroup-item" href={at(view, 'commits')}>
              {t('history')}
            </a>
            <a class="btn btn-sm BtnGroup-item" href={permalink} data-permalink>
              {t('permalink')}
            </a>
          </div>
          {text !== undefined && text.length < maxCopied ? (
            <CopyButton text={text} label={t('file.copy')} plain />
          ) : null}
          {buttons}
        </div>
        {hasLines ? (
          <LineMenu
            permalink={rendering ? `${permalink}?display=source` : permalink}
            blame={canBlame(view, file) ? at(view, 'blame') : undefined}
            actions={lineActions}
            repositoryPath={view.repositoryPath}
          />
        ) : null}
        <div class="file-content">
          {hasSymbols ? <SymbolsPanel /> : null}
          <div class="min-width-0">{body ?? <p class="flash flash-error m-3">{t('file.damaged')}</p>}</div>
        </div>
      </div>
    </CodeBody>
  );
}

/** Style sheets alone wrap long lines; a script remembers the choice. */
const WrapSwitch = (): VNode => (
  <label class="btn btn-sm code-wrapping">
    <input class="sr-only" type="checkbox" data-wrap /> {t('file.wrap')}
  </label>
);

/** git takes UTF-16 for no text, arguments cannot name a path that is not UTF-8, and of LFS it knows the pointer alone. */
const canBlame = (view: RevisionView, file: OpenedFile | undefined): boolean =>
  file?.text !== undefined &&
  !file.stored &&
  !file.isLarge &&
  !file.encoding?.startsWith('UTF-16') &&
  !view.path.includes('\ufffd');

function FileDetails({ file, mode }: { file: OpenedFile | undefined; mode: string }): VNode {
  const { text, stored, size, encoding } = file ?? {};
  const lines = text === undefined || file?.isLarge ? undefined : lineCountOf(text);
  const facts = [
    lines !== undefined && t('file.lines', { count: lines }),
    size !== undefined && formatSize(size),
    encoding !== 'UTF-8' && encoding,
    mode === '100755' && t('file.executable'),
    stored && (stored.found ? t('file.stored') : t('file.pointer', { size: formatSize(stored.size) })),
  ];
  return <span class="f6 color-fg-muted flex-auto">{facts.filter(Boolean).join(' · ')}</span>;
}

/** A symbolic link shows where it leads, and links there when that is in the repository. */
async function linkBody(view: RevisionView, entry: PathEntry): Promise<VNode> {
  const bytes = await withFallback(view.git.blob(entry.oid, 8192), undefined);
  const target = bytes?.toString('utf8') ?? '';
  const segments = view.path.split('/').slice(0, -1);
  let inside = !target.startsWith('/') && target !== '';
  for (const segment of target.split('/')) {
    if (segment === '..') inside = segments.pop() !== undefined && inside;
    else if (segment && segment !== '.') segments.push(segment);
  }
  const path = segments.join('/');
  const there = inside && path ? await withFallback(view.git.entry(view.revision.commit, path), undefined) : undefined;
  return <LinkBody target={target} href={there && at(view, 'src', path)} />;
}

function LinkBody({ target, href }: { target: string; href: string | undefined }): VNode {
  return (
    <div class="Box-body wb-break-word">
      {icon('file-symlink-file')}{' '}
      {href
        ? t.rich('file.link', {
            target: (
              <a class="text-underline" href={href}>
                {target}
              </a>
            ),
          })
        : t.rich('file.linkOutside', { target: <code>{target}</code> })}
    </div>
  );
}
