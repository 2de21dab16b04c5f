import type { SourceMilestone } from '../contract/records.js';
import { cleanLine, cleanText, cleanTime } from '../services/sanitize.js';
import type { ImportStepKind } from './step.js';

const keyOf = ({ title }: SourceMilestone): string => cleanLine(title);

export const milestoneStep: ImportStepKind<SourceMilestone> = {
  step: 'milestones',
  kinds: ['milestones'],
  maxItems: 5000,
  itemKind: 'milestone',
  pages: (reader, _context, after) => reader.milestones?.(after),
  keyOf,
  async prepare(items, { deps, options }) {
    const now = Date.now();
    const milestones = items.map((milestone) => {
      const isClosed = milestone.isClosed === true;
      const createdAt = cleanTime(milestone.createdAt, now);
      const updatedAt = cleanTime(milestone.updatedAt, createdAt);
      return {
        title: keyOf(milestone),
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
        return milestones.map(({ title }, at) => ({ kind: 'milestone', key: title, localId: ids[at]! }));
      },
    };
  },
};
