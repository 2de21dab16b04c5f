import type { VNode } from 'preact';
import { Problem, icon, Pager } from '@mortise/plugin-sdk';
import type { FileChange, GitRepository } from '@mortise/git/api';
import type { Markup } from '@mortise/markup/api';
import { readPart, splitPatch, pathOfPart } from '../services/diff.js';
import { FileDiff, anchorOf, link, type DiffQuery, type DiffSide } from './diff-file.js';

const mostDiff = 3 << 20;
const mostFiles = 100;
/** With more files the lines are read one file at a time. */
const mostDiffed = 2_000;
const mostLines = 1_000;
const mostColoured = 4_000;

export type { DiffQuery, DiffSide } from './diff-file.js';

export interface DiffData {
  readonly changes: readonly FileChange[];
  /** Of the files on this page; undefined: too large. */
  readonly patches: ReadonlyMap<string, readonly string[]> | undefined;
  readonly query: DiffQuery;
}

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

/** All files of a difference. */
export function Diff({
  data,
  before,
  after,
  markup,
}: {
  data: DiffData;
  before: DiffSide;
  after: DiffSide;
  markup: Markup;
}): VNode {
  const { changes, patches, query } = data;
  const page = Math.max(1, query.page ?? 1);
  const shown = changes.slice((page - 1) * mostFiles, page * mostFiles);
  const sum = (key: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[key], 0);
  let coloured = 0;
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
      {shown.map((change, index) => {
        const parts = patches?.get(change.path) ?? [];
        const most = query.file ? 20_000 : mostLines;
        const read = parts.map((part) => readPart(part, most));
        const count = read.reduce((total, one) => total + one.lines.length, 0);
        const colour = (coloured += count) <= mostColoured ? markup : undefined;
        return (
          <FileDiff
            change={change}
            patches={read}
            isOpen={index < 40}
            isMissing={patches === undefined}
            query={query}
            before={before}
            after={after}
            markup={colour}
          />
        );
      })}
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
