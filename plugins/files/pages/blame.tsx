import type { VNode } from 'preact';
import {
  Ago,
  ChunkedRender,
  Invalid,
  NotFound,
  TooLarge,
  withFallback,
  pageRoute,
  formatSize,
  icon,
  isText,
  type Route,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { decodeText, type BlameLine, type Commit } from '@mortise/git/api';
import { t } from '../texts/index.js';
import {
  at,
  Crumbs,
  encodePath,
  openView,
  pageAccess,
  pageContextOf,
  Avatar,
  CodeBody,
  subjectOf,
  Switcher,
  type RevisionView,
} from '@mortise/history/api';
import { type PageDeps } from './page-deps.js';

const maxBlamed = 1 << 20;
const maxLines = 10_000;
const maxCounted = 50_000;
const ages = 10;
/** What is drawn in one turn. */
const blocksOfPiece = 40;
const linesOfPiece = 400;

/** Lines that one commit brought, one after the other. */
interface Block {
  readonly commit: string;
  readonly path: string;
  readonly from: number;
  readonly lines: BlameLine[];
}

export function blocksOf(lines: readonly BlameLine[]): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last?.commit === line.commit && last.path === line.path) last.lines.push(line);
    else blocks.push({ commit: line.commit, path: line.path, from: line.line, lines: [line] });
  }
  return blocks;
}

/** 0: the oldest, 9: the newest commit of this file. */
function ageOf(time: number, oldest: number, newest: number): number {
  return newest > oldest ? Math.min(ages - 1, Math.floor(((time - oldest) / (newest - oldest)) * ages)) : ages - 1;
}

/** Who brought each line, and when. */
export function blamePage(services: PageDeps): Route[] {
  const { pages, markup, views } = services;
  return [
    pageRoute('/{owner}/{repo}/blame/{rest*}', pageAccess, async (context) => {
      const view = await openView(services, context, context.params.rest ?? '');
      const entry = view.path ? await view.git.entry(view.revision.commit, view.path) : undefined;
      if (entry?.type !== 'blob') throw NotFound('file');
      const info = await view.git.info(entry.oid);
      if (!info) throw NotFound(t.later('file.damaged'));
      if (info.size > maxBlamed) throw TooLarge(t.later('error.blameLarge', { size: () => formatSize(maxBlamed) }));
      const bytes = await view.git.blob(entry.oid, maxBlamed);
      if (!isText(bytes)) throw Invalid(t.later('error.blameBinary'));
      if (lineCountOf(bytes) > maxCounted) throw TooLarge(t.later('error.blameLines', { max: maxCounted }));
      const name = view.path.slice(view.path.lastIndexOf('/') + 1);
      const all = await view.git.blame(view.revision.commit, view.path);
      const lines = all.slice(0, maxLines);
      const blocks = blocksOf(lines);
      const commits = await view.git.commits([...new Set(blocks.map((block) => block.commit))]);
      const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
      const [before, authors] = await Promise.all([filesBefore(view, blocks, byOid), views.authors(commits)]);
      const times = commits.map((commit) => commit.author.time);
      const [oldest, newest] = [Math.min(...times), Math.max(...times)];
      const code = (await markup.highlight(name, decodeText(bytes).text, context)).lines;
      const blockOf = (block: Block) => {
        const commit = byOid.get(block.commit);
        return (
          <BlameBlock
            view={view}
            block={block}
            commit={commit}
            before={before.get(block.commit)}
            age={ageOf(commit?.author.time ?? oldest, oldest, newest)}
            code={code}
            account={authors.get((commit?.author.email ?? '').toLowerCase())}
            avatarUrl={views.avatarUrl}
          />
        );
      };
      const pieces = function* () {
        for (let from = 0; from < blocks.length; from += blocksOfPiece)
          yield <>{blocks.slice(from, from + blocksOfPiece).map(blockOf)}</>;
      };
      return pages.page(pageContextOf(context), 'code', {
        title: t.later('blame.title', { path: view.path }),
        islands: ['highlight', 'lines', 'code', 'shortcuts', 'filter'],
        body: (
          <CodeBody find={at(view, 'find', '')}>
            <Toolbar view={view} />
            <div class="Box code-scroll">
              <table class="code-lines code-blame text-mono f6" data-code-lines>
                <ChunkedRender chunks={pieces} />
              </table>
            </div>
            {all.length > lines.length ? <MoreLines count={all.length - lines.length} /> : null}
          </CodeBody>
        ),
      });
    }),
  ];
}

const MoreLines = ({ count }: { count: number }): VNode => (
  <p class="mt-2 color-fg-muted">{t('moreLines', { count })}</p>
);

const Toolbar = ({ view }: { view: RevisionView }): VNode => (
  <div class="code-row mb-3">
    <Switcher view={view} word="blame" />
    <Crumbs view={view} word="blame" />
    <span class="flex-auto" />
    <div class="BtnGroup">
      <a class="btn btn-sm BtnGroup-item" href={at(view, 'src')}>
        {t('code')}
      </a>
      <a class="btn btn-sm BtnGroup-item" href={at(view, 'commits')}>
        {t('history')}
      </a>
      <a
        class="btn btn-sm BtnGroup-item"
        data-permalink
        href={`${view.repositoryPath}/blame/commit/${view.revision.commit}/${encodePath(view.path)}`}
      >
        {t('permalink')}
      </a>
    </div>
  </div>
);

const maxQueried = 150;
const timeoutMs = 300;

/** Commits whose parent had the file too, with that parent; where that takes long, the parent is taken on trust. */
async function filesBefore(
  view: RevisionView,
  blocks: readonly Block[],
  commits: ReadonlyMap<string, Commit>,
): Promise<ReadonlyMap<string, string>> {
  const paths = new Map(blocks.map((block) => [block.commit, block.path]));
  const all = [...paths].flatMap(([oid, path]) => {
    const parent = commits.get(oid)?.parents[0];
    return parent ? [{ oid, path, parent }] : [];
  });
  const trusted = new Map(all.map(({ oid, parent }) => [oid, parent]));
  if (all.length > maxQueried) return trusted;
  const asked = Promise.all(
    all.map(async (one) => ({ ...one, entry: await withFallback(view.git.entry(one.parent, one.path), undefined) })),
  );
  const known = asked.then(
    (list) => new Map(list.filter(({ entry }) => entry?.type === 'blob').map(({ oid, parent }) => [oid, parent])),
  );
  return withFallback(known, trusted, timeoutMs);
}

function lineCountOf(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

const escape = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const maxLength = 5_000;

function BlameBlock({
  view,
  block,
  commit,
  before,
  age,
  code,
  account,
  avatarUrl,
}: {
  view: RevisionView;
  block: Block;
  commit: Commit | undefined;
  /** The parent that had the file. */
  before: string | undefined;
  age: number;
  code: readonly string[];
  account: Account | undefined;
  avatarUrl: (account: Account) => string;
}): VNode {
  const html = (line: BlameLine) =>
    line.text.length > maxLength
      ? `${escape(line.text.slice(0, maxLength))}…`
      : (code[line.line - 1] ?? escape(line.text));
  const [first, ...others] = block.lines;
  // the message is put together once, and the row is text: there are thousands of them
  const [label = '', labelEnd = ''] = t('line', { line: '\0' }).split('\0');
  const cells = (line: BlameLine) =>
    `<td class="blob-num"><a href="#L${line.line}" data-line="${line.line}" tabindex="-1" aria-label="${label}${line.line}${labelEnd}"></a></td><td class="blob-code">${html(line) || '\n'}</td>`;
  const row = (line: BlameLine) => <tr id={`L${line.line}`} dangerouslySetInnerHTML={{ __html: cells(line) }} />;
  const pieces = function* () {
    for (let from = 0; from < others.length; from += linesOfPiece)
      yield <>{others.slice(from, from + linesOfPiece).map(row)}</>;
  };
  return (
    <tbody class={`code-age-${age}`}>
      {first ? (
        <tr id={`L${first.line}`}>
          <td class="code-who" rowSpan={block.lines.length}>
            <div class="code-blame-facts">
              <span title={commit?.author.name}>
                <Avatar account={account} avatarUrl={avatarUrl} size={16} />
              </span>
              <a
                class="code-clip Link--secondary flex-auto row-link"
                href={`${view.repositoryPath}/commit/${block.commit}`}
                title={commit ? `${subjectOf(commit.message)}\n${commit.author.name}` : block.commit}
              >
                {commit ? subjectOf(commit.message) : block.commit.slice(0, 10)}
              </a>
              <span class="color-fg-muted no-wrap d-none d-md-inline">
                {commit ? <Ago time={commit.author.time} /> : null}
              </span>
              {before ? (
                <a
                  class="Link--secondary row-link code-icon-link"
                  href={`${view.repositoryPath}/blame/commit/${before}/${encodePath(block.path)}`}
                  title={t('blame.before')}
                >
                  {icon('versions', { label: t('blame.before') })}
                </a>
              ) : null}
            </div>
          </td>
          <td class="blob-num">
            <a
              href={`#L${first.line}`}
              data-line={first.line}
              tabIndex={-1}
              aria-label={`${label}${first.line}${labelEnd}`}
            />
          </td>
          <td class="blob-code" dangerouslySetInnerHTML={{ __html: html(first) || '\n' }} />
        </tr>
      ) : null}
      {others.length > linesOfPiece ? <ChunkedRender chunks={pieces} /> : others.map(row)}
    </tbody>
  );
}
