import type { SourceMilestone } from '../contract/records.js';
import { cleanLine, cleanText, cleanTime } from '../services/sanitize.js';
import { namedKey, recordNames } from './named.js';
import type { ImportStepKind } from './step.js';

export const milestoneStep: ImportStepKind<SourceMilestone> = {
  step: 'milestones',
  kinds: ['milestones'],
  maxItems: 5000,
  itemKind: 'milestone',
  pages: (reader, _context, after) => reader.milestones?.(after),
  keyOf: ({ id, title }) => namedKey(id, cleanLine(title)),
  nameOf: ({ title }) => cleanLine(title),
  async prepare(items, context) {
    const { deps, options } = context;
    const now = Date.now();
    const milestones = items.map((milestone) => {
      const isClosed = milestone.isClosed === true;
      const createdAt = cleanTime(milestone.createdAt, now);
      const updatedAt = cleanTime(milestone.updatedAt, createdAt);
      return {
        title: cleanLine(milestone.title),
        description: cleanText(milestone.description, 100_000),
        isClosed,
        dueAt: cleanTime(milestone.dueAt, 0),
        createdAt,
        updatedAt,
        closedAt: isClosed ? cleanTime(milestone.closedAt, updatedAt) : 0,
      };
    });
    return {
      async write() {
        const ids = await deps.issueImports.milestones(options.repository.id, milestones);
        const written = milestones.map(({ title }, at) => ({
          key: namedKey(items[at]!.id, title),
          name: title,
          localId: ids[at]!,
        }));
        return recordNames('milestone', written, context);
      },
    };
  },
};
