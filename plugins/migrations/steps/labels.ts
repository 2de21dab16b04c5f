import type { SourceLabel } from '../contract/records.js';
import { cleanColor, cleanLine } from '../services/sanitize.js';
import type { ImportStepKind } from './step.js';

const maxName = 50;
const maxDescription = 1000;
const keyOf = ({ name }: SourceLabel): string => cleanLine(name, maxName);

export const labelStep: ImportStepKind<SourceLabel> = {
  step: 'labels',
  kinds: ['labels'],
  maxItems: 5000,
  itemKind: 'label',
  pages: (reader, _context, after) => reader.labels?.(after),
  keyOf,
  async prepare(items, { deps, options }) {
    const labels = items.map((label) => ({
      name: keyOf(label),
      color: cleanColor(label.color),
      description: cleanLine(label.description, maxDescription),
      isExclusive: label.isExclusive === true,
      isArchived: label.isArchived === true,
    }));
    return {
      async write() {
        const ids = await deps.issueImports.labels(options.repository.id, labels);
        return labels.map(({ name }, at) => ({ kind: 'label', key: name, localId: ids[at]! }));
      },
    };
  },
};
