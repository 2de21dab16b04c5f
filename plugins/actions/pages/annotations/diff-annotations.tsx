import type { VNode } from 'preact';
import type { PullDiff, PullDiffExtension } from '@mortise/pulls/api';
import type { AnnotationRow } from '../../models/annotation.js';
import type { Annotations } from '../../services/annotations/annotations.js';
import { t } from '../../texts/index.js';
import { AnnotationText, LevelIcon } from './annotation-list.js';

interface NotesProps {
  readonly annotations: readonly AnnotationRow[];
  /** Path of Actions of the repository. */
  readonly base: string;
  /** They stand below a file, apart from their lines. */
  readonly showsLine?: boolean;
}

const Notes = ({ annotations, base, showsLine }: NotesProps): VNode => (
  <ul class="list-style-none p-2 f5" data-annotations>
    {annotations.map((one) => (
      <li key={one.id} class="my-1">
        <LevelIcon level={one.level} /> {showsLine && one.line ? <span class="text-mono">{one.line}: </span> : null}
        <AnnotationText one={one} />{' '}
        <a class="text-underline" href={`${base}/runs/${one.run_id}`}>
          {t('annotation.run')}
        </a>
      </li>
    ))}
  </ul>
);

const keyOf = (path: string, line: number): string => `${line} ${path}`;

/** One for several runs that say the same. */
function distinct(annotations: readonly AnnotationRow[]): AnnotationRow[] {
  const byText = new Map(
    annotations.map((one) => [JSON.stringify([one.level, one.path, one.line, one.title, one.message]), one]),
  );
  return [...byText.values()];
}

async function slotsOf(annotations: Annotations, diff: PullDiff) {
  const { context, repositoryPath } = diff.page;
  if (!context.context.may('read', 'actions')) return {};
  const paths = diff.piece.files.map(({ change }) => change.path);
  const found = distinct(await annotations.ofFiles(context.repository.id, diff.head, paths));
  if (found.length === 0) return {};
  const base = `${repositoryPath}/actions`;
  const shown = new Set(
    diff.piece.files.flatMap(({ change: { path }, hunks }) =>
      hunks.flatMap(({ lines }) => lines.flatMap(({ after }) => (after === undefined ? [] : [keyOf(path, after)]))),
    ),
  );
  return {
    diffLine(positions: readonly { path: string; side: 'before' | 'after'; line: number }[]) {
      const here = positions
        .filter(({ side }) => side === 'after')
        .flatMap(({ path, line }) => found.filter((one) => one.path === path && one.end_line === line));
      return here.length > 0 ? <Notes annotations={here} base={base} /> : undefined;
    },
    fileNotes({ change: { path } }: { readonly change: { readonly path: string } }) {
      const rest = found.filter((one) => one.path === path && !shown.has(keyOf(path, one.end_line)));
      return rest.length > 0 ? <Notes annotations={rest} base={base} showsLine /> : undefined;
    },
  };
}

/** What runs of the head say of the lines of a pull request. */
export const diffAnnotations = (annotations: Annotations): PullDiffExtension => ({
  key: 'actions.annotations',
  order: 40,
  islands: ['actions-style'],
  slots: (diff) => slotsOf(annotations, diff),
});
