import { createHash } from 'node:crypto';
import { Problem } from '@mortise/plugin-sdk';
import {
  decodeText,
  type ChangePage,
  type FileAttributes,
  type FileChange,
  type GitRepository,
  type PatchOptions,
} from '@mortise/git/api';
import type { DiffCollapseReason, DiffFile, DiffFileState, DiffHunk, DiffPage, DiffQuery } from '../contract/diffs.js';
import { modelFormatOf } from '../contract/model.js';
import { withoutCorruptObjects } from '../contract/corrupt-object.js';
import { pathOfFilePatch, parseFilePatch, splitPatch } from './diff.js';
import { expandHunks, readExpand, type LineRange } from './expansion.js';

/** Bounds of one piece. */
const maxFiles = 30;
const maxPageLines = 1_500;
const maxPatchBytes = 2 << 20;
/** A file with more changed lines is collapsed beside others, and cut where it stands alone. */
const maxFileLines = 1_000;
const maxLoadedLines = 10_000;
/** Of git, for one piece whose patch is too large as a whole. */
const maxRuns = 12;
const maxExpandedBytes = 4 << 20;
const maxExpandedLines = 5_000;
const contextLines = 3;

export const anchorOf = (path: string) => `d${createHash('sha1').update(path).digest('hex').slice(0, 12)}`;
/** A picture, which browsers show. */
export const isPicture = ({ path, binary }: FileChange): boolean =>
  /\.(?:png|jpe?g|gif|webp|bmp|ico|avif)$/i.test(path) ? binary : /\.svg$/i.test(path);
/** A document that browsers show in a frame. */
export const isDocument = ({ path, binary }: FileChange): boolean => binary && /\.pdf$/i.test(path);
/** A 3D model; its lines are shown too where it is a text. */
export const isModel = ({ path }: FileChange): boolean => modelFormatOf({ name: path, size: 1 }) !== undefined;
const isSubmodule = ({ mode, oldMode }: FileChange) => mode === '160000' || oldMode === '160000';

/** Reads a piece of a diff, within bounds of size. */
export async function readDiff(
  git: GitRepository,
  from: string | undefined,
  to: string,
  query: DiffQuery,
): Promise<DiffPage> {
  const found = await listedChanges(git, from, to, query);
  const { total, isCounted } = found;
  const first = Math.min(query.from ?? 0, total);
  const at = first - found.from;
  const candidates = found.changes.slice(at, at + maxFiles);
  const isAlone = total === 1;
  const [sized, attributes] = await Promise.all([
    isCounted ? candidates : counted(git, from, to, candidates),
    isAlone
      ? noAttributes
      : // a change cannot hide itself by what it says of its files
        git.fileAttributes(
          from ?? to,
          candidates.map(({ path }) => path),
        ),
  ]);
  const chosen = filesWithinLimits(sized, (change) => (isAlone ? undefined : reasonToCollapse(change, attributes)));
  const wanted = chosen.filter(({ collapsedFor }) => !collapsedFor).map(({ change }) => change);
  const maxLines = query.file === undefined ? maxFileLines : maxLoadedLines;
  const whole = query.file === undefined && wanted.length === total;
  const patches = await readPatches(git, from, to, wanted, whole, {
    format: 'diff',
    context: contextLines,
    ignoreWhitespace: query.whitespace === 'ignore' ? 'all' : undefined,
  });
  const expand = readExpand(query.expand);
  const files = await Promise.all(
    chosen.map(async ({ change, collapsedFor }): Promise<DiffFile> => {
      const anchor = anchorOf(change.path);
      const parts = patches.get(change.path);
      const sizes = isPicture(change) || isDocument(change) || isModel(change) ? await sizesOf(git, change) : undefined;
      if (collapsedFor || !parts) {
        const state = stateOf(change, undefined);
        return { change, anchor, state, collapsedFor, sizes, hunks: [], isCut: false, isWhole: true };
      }
      const read = parts.map((part) => parseFilePatch(part, maxLines));
      const isCut = read.some((part) => part.isCut);
      const hunks = read.flatMap((part) => part.hunks);
      const state = stateOf(change, hunks);
      const ranges = expand.get(anchor);
      // Two parts (a file became a link) share no numbers of lines.
      const isFixed = isCut || parts.length > 1 || change.status === 'added' || change.status === 'deleted';
      const more = ranges && state === 'shown' && !isFixed ? await expanded(git, change, hunks, ranges) : undefined;
      return {
        change,
        anchor,
        state,
        sizes,
        isCut,
        hunks: more?.hunks ?? hunks,
        isWhole: isFixed || (more?.isWhole ?? reachesEnd(hunks)),
      };
    }),
  );
  const next = first + chosen.length;
  const { changes, from: listedFrom } = found;
  return { changes, listedFrom, total, isCounted, files, from: first, ...(next < total ? { next } : {}), query };
}

/** The files of a diff that a piece is cut from: all of them, some of very many, or the one that was asked for. */
async function listedChanges(
  git: GitRepository,
  from: string | undefined,
  to: string,
  { file, from: at = 0 }: DiffQuery,
): Promise<ChangePage> {
  if (file === undefined) return git.changePage(from, to, at);
  const all = await git.changePage(from, to);
  const changes = all.isCounted
    ? all.changes.filter(({ path }) => path === file)
    : await git.changes(from, to, { paths: [file] });
  return { changes, from: 0, total: changes.length, isCounted: true };
}

/** The same with their lines counted. */
async function counted(
  git: GitRepository,
  from: string | undefined,
  to: string,
  changes: readonly FileChange[],
): Promise<readonly FileChange[]> {
  if (changes.length === 0) return [];
  const paths = changes.flatMap(({ path, oldPath }) => (oldPath ? [oldPath, path] : [path]));
  const known = new Map((await git.changes(from, to, { paths })).map((change) => [change.path, change]));
  return changes.map((change) => known.get(change.path) ?? change);
}

/** The files of one piece: so many lines and files together, but one at least. */
function filesWithinLimits(
  candidates: readonly FileChange[],
  reasonFor: (change: FileChange) => DiffCollapseReason | undefined,
) {
  const chosen: { change: FileChange; collapsedFor?: DiffCollapseReason }[] = [];
  let lines = 0;
  for (const change of candidates) {
    const size = change.additions + change.deletions;
    const collapsedFor = reasonFor(change);
    if (!collapsedFor) lines += size;
    if (chosen.length > 0 && lines > maxPageLines) break;
    chosen.push({ change, collapsedFor });
  }
  return chosen;
}

const noAttributes: ReadonlyMap<string, FileAttributes> = new Map();

function reasonToCollapse(
  { path, binary, additions, deletions }: FileChange,
  attributes: ReadonlyMap<string, FileAttributes>,
): DiffCollapseReason | undefined {
  const { generated, vendored } = attributes.get(path) ?? {};
  if (binary) return undefined;
  return generated ? 'generated' : vendored ? 'vendored' : additions + deletions > maxFileLines ? 'large' : undefined;
}

/** Bytes on both sides; what cannot be read has none. */
async function sizesOf(
  git: GitRepository,
  { status, oldOid, oid }: FileChange,
): Promise<NonNullable<DiffFile['sizes']>> {
  const sizeOf = async (id: string) => (await withoutCorruptObjects(git.info(id), undefined))?.size;
  return {
    before: status === 'added' ? undefined : await sizeOf(oldOid),
    after: status === 'deleted' ? undefined : await sizeOf(oid),
  };
}

function stateOf(change: FileChange, hunks: readonly DiffHunk[] | undefined): DiffFileState {
  if (isSubmodule(change)) return 'submodule';
  if (change.binary) return 'binary';
  if (!hunks) return 'collapsed';
  return hunks.length > 0 ? 'shown' : 'unchanged';
}

/** Fewer lines behind the last change than git would show: the file ends there. */
function reachesEnd(hunks: readonly DiffHunk[]): boolean {
  const lines = hunks.at(-1)?.lines ?? [];
  let behind = 0;
  while (behind < lines.length && lines[lines.length - 1 - behind]!.kind === 'context') behind++;
  return behind < contextLines || lines.at(-1)?.noNewline === true;
}

async function expanded(
  git: GitRepository,
  change: FileChange,
  hunks: readonly DiffHunk[],
  ranges: readonly LineRange[],
): Promise<{ hunks: DiffHunk[]; isWhole: boolean } | undefined> {
  const blob = await withoutCorruptObjects(git.blob(change.oid, maxExpandedBytes), undefined);
  if (!blob) return undefined;
  const lines = decodeText(blob).text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const more = expandHunks(hunks, lines, ranges, maxExpandedLines);
  const last = more.at(-1)!;
  return { hunks: more, isWhole: last.after.start + last.after.count > lines.length };
}

/** Parts of the patch by path; files whose lines are too many in bytes are left out. */
async function readPatches(
  git: GitRepository,
  from: string | undefined,
  to: string,
  wanted: readonly FileChange[],
  whole: boolean,
  options: PatchOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const patches = new Map<string, string[]>(wanted.map(({ path }) => [path, []]));
  const leaveOut = (files: readonly FileChange[]) => files.forEach(({ path }) => patches.delete(path));
  let runs = 0;
  const read = async (files: readonly FileChange[], isWhole: boolean): Promise<void> => {
    if (files.length === 0) return;
    if (runs++ >= maxRuns) return leaveOut(files);
    const paths = isWhole ? undefined : files.flatMap(({ path, oldPath }) => (oldPath ? [oldPath, path] : [path]));
    try {
      for (const part of splitPatch(await git.patchText(from, to, { ...options, paths }, maxPatchBytes))) {
        const path = pathOfFilePatch(part);
        patches.set(path, [...(patches.get(path) ?? []), part]);
      }
    } catch (error) {
      if (!Problem.is(error)) throw error;
      if (files.length === 1) return leaveOut(files);
      const middle = Math.ceil(files.length / 2);
      await read(files.slice(0, middle), false);
      await read(files.slice(middle), false);
    }
  };
  await read(
    wanted.filter((change) => !change.binary),
    whole,
  );
  return patches;
}
