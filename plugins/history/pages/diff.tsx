import type { VNode } from 'preact';
import { Problem, icon, Pager } from '@mortise/plugin-sdk';
import type { FileChange, GitRepository } from '@mortise/git/api';
import type { Markup, Viewer } from '@mortise/markup/api';
import type { DiffData, DiffQuery, DiffSide, DiffSlots } from '../contract/diffs.js';
import { readPart, splitPatch, pathOfPart } from '../services/diff.js';
import { FileDiff, anchorOf, link } from './diff-file.js';
import { codeOf } from './diff-rows.js';

const mostDiff = 3 << 20;
const mostFiles = 100;
/** With more files the lines are read one file at a time. */
const mostDiffed = 2_000;
const mostLines = 1_000;
const mostColoured = 4_000;

/** Reads what a page of a difference shows, within bounds of size. */
export async function readDiff(
  git: GitRepository,
  from: string | undefined,
  to: string,
  query: DiffQuery,
): Promise<DiffData> {
  const all = await git.changes(from, to);
  const changes = query.file ? all.filter((change) => change.path === query.file) : all;
  const options = {
    format: 'diff' as const,
    path: query.file && !changes[0]?.oldPath ? query.file : undefined,
    context: query.file ? Math.min(query.context ?? 3, 100_000) : 3,
    ignoreWhitespace: query.whitespace === 'ignore' ? ('all' as const) : undefined,
  };
  if (changes.length > mostDiffed) return { changes, patches: undefined, query };
  try {
    const text = await git.patchText(from, to, options, mostDiff);
    const patches = new Map<string, string[]>();
    for (const part of splitPatch(text)) {
      const path = pathOfPart(part);
      patches.set(path, [...(patches.get(path) ?? []), part]);
    }
    return { changes, patches, query };
  } catch (error) {
    if (Problem.is(error)) return { changes, patches: undefined, query };
    throw error;
  }
}

/** Files with their lines, highlighted as far as that is reasonable. */
async function readFiles(
  { patches, query }: DiffData,
  changes: readonly FileChange[],
  highlight: Markup['highlightAll'],
) {
  let total = 0;
  const files = changes.map((change) => {
    const most = query.file ? 20_000 : mostLines;
    const read = (patches?.get(change.path) ?? []).map((part) => readPart(part, most));
    total += read.reduce((count, one) => count + one.lines.length, 0);
    return { change, read, isHighlighted: total <= mostColoured };
  });
  const wanted = files.filter((file) => file.isHighlighted && file.read.length > 0);
  const made = await highlight(
    wanted.map(({ change, read }) => ({ fileName: change.path, text: codeOf(read.flatMap((patch) => patch.lines)) })),
  );
  const lines = new Map(wanted.map((file, index) => [file.change, made[index]!.lines]));
  return files.map(({ change, read }) => ({ change, read, highlighted: lines.get(change) }));
}

/** All files of a difference. */
export async function Diff({
  data,
  before,
  after,
  markup,
  viewer,
  slots = {},
}: {
  data: DiffData;
  before: DiffSide;
  after: DiffSide;
  markup: Pick<Markup, 'highlightAll'>;
  viewer?: Viewer;
  slots?: DiffSlots;
}): Promise<VNode> {
  const { changes, patches, query } = data;
  const page = Math.max(1, query.page ?? 1);
  const shown = changes.slice((page - 1) * mostFiles, page * mostFiles);
  const sum = (key: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[key], 0);
  const files = await readFiles(data, shown, (pieces) => markup.highlightAll(pieces, viewer));
  return (
    <div>
      <div class="d-flex flex-wrap flex-items-center mb-2" style="gap: 8px">
        <p class="mb-0 flex-auto">
          <strong>{changes.length}</strong> {changes.length === 1 ? 'file' : 'files'} changed,{' '}
          <span class="color-fg-success text-bold">+{sum('additions')}</span>{' '}
          <span class="color-fg-danger text-bold">−{sum('deletions')}</span>
          {query.file ? (
            <span>
              {' '}
              · <a href={link(query, { file: undefined, context: undefined })}>all files</a>
            </span>
          ) : null}
        </p>
        <div class="BtnGroup">
          <a
            class="btn btn-sm BtnGroup-item"
            aria-current={query.style === 'split' ? undefined : 'true'}
            href={link(query, { style: undefined })}
          >
            Unified
          </a>
          <a
            class="btn btn-sm BtnGroup-item"
            aria-current={query.style === 'split' ? 'true' : undefined}
            href={link(query, { style: 'split' })}
          >
            Split
          </a>
        </div>
        <a class="btn btn-sm" href={link(query, { whitespace: query.whitespace === 'ignore' ? undefined : 'ignore' })}>
          {query.whitespace === 'ignore' ? 'Show whitespace' : 'Ignore whitespace'}
        </a>
      </div>
      {patches === undefined ? (
        <p class="flash flash-warn">
          The difference is too large to be shown at once; its files can be opened one by one.
        </p>
      ) : null}
      {shown.length > 1 ? <FileIndex changes={shown} /> : null}
      {files.map(({ change, read, highlighted }, index) => (
        <FileDiff
          change={change}
          patches={read}
          isOpen={index < 40}
          isMissing={patches === undefined}
          query={query}
          before={before}
          after={after}
          highlighted={highlighted}
          slots={slots}
        />
      ))}
      <Pager page={page} more={page * mostFiles < changes.length} href={(to) => link(query, { page: to })} />
    </div>
  );
}

function FileIndex({ changes }: { changes: readonly FileChange[] }): VNode {
  return (
    <details class="mb-3">
      <summary class="btn btn-sm">{icon('list-unordered')} Files on this page</summary>
      <ul class="list-style-none Box mt-2 p-2 text-mono f6" style="max-height: 360px; overflow: auto">
        {changes.map((change) => (
          <li class="wb-break-all">
            <a href={`#${anchorOf(change.path)}`}>{change.path}</a>{' '}
            <span class="color-fg-success">+{change.additions}</span>{' '}
            <span class="color-fg-danger">−{change.deletions}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
