import { Problem } from '@mortise/plugin-sdk';
import type { SourceProject } from '../contract/records.js';
import { projectShape } from '../services/record-shape.js';
import { cleanLine, cleanList } from '../services/sanitize.js';
import { cleanProject, titleOf, type CleanProject } from './project-record.js';
import type { ImportStepKind } from './step.js';

/** In place of an id. */
const leftOut = 0;

/** Boards with their columns, cards, fields, views and rules: each in one transaction. */
export const projectStep: ImportStepKind<SourceProject> = {
  step: 'projects',
  kinds: ['issues', 'pull_requests'],
  maxItems: 5000,
  batchSize: 1,
  itemKind: 'project',
  shape: projectShape,
  isRare: true,
  unavailable: ({ deps }) =>
    deps.projects() ? undefined : 'This site has no project boards: those of the source are left out.',
  pages: (reader, _context, after) => reader.projects?.(after),
  keyOf: ({ id }) => cleanLine(id),
  async prepare(items, { deps, options, store, authors, note }) {
    const { repository, actor } = options;
    const owner = { type: 'repository', owner: { id: repository.ownerId }, repository } as const;
    await authors.load(items.flatMap(({ creator }) => creator ?? []));
    const ready: { readonly id: number; readonly project: CleanProject['project'] }[] = [];
    for (const item of items) {
      const issues = await store.byNumbers(
        repository.id,
        cleanList(item.cards, Number.POSITIVE_INFINITY).map(({ issue }) => issue),
      );
      const { project: given, omitted } = await cleanProject(item, (number) => issues.get(number)?.local_id);
      const counts = [...omitted].map(([what, count]) => `${count} ${what}`);
      if (counts.length) note(`${titleOf(item).slice(0, 100)}: left out: ${counts.join(', ')}`);
      ready.push({ id: (item.creator && authors.accountOf(item.creator)) ?? actor.id, project: given });
    }
    return {
      async write() {
        const ids: number[] = [];
        for (const { id, project: given } of ready)
          try {
            ids.push((await deps.database.write(() => deps.projects()!.import(owner, given, { id }))).id);
          } catch (error) {
            if (!Problem.is(error)) throw error;
            note(`${given.title.slice(0, 100)}: left out: ${error.message}`);
            ids.push(leftOut);
          }
        return items.map((item, at) => ({ kind: 'project', key: cleanLine(item.id), localId: ids[at]! }));
      },
    };
  },
};
