import type { SourceLabel } from '../contract/records.js';
import { cleanColor, cleanLine } from '../services/sanitize.js';
import { namedKey, recordNames } from './named.js';
import type { ImportStepKind } from './step.js';

const maxName = 50;
const maxDescription = 1000;
export const labelName = (name: unknown): string => cleanLine(name, maxName);

export const labelStep: ImportStepKind<SourceLabel> = {
  step: 'labels',
  kinds: ['labels'],
  maxItems: 5000,
  itemKind: 'label',
  pages: (reader, _context, after) => reader.labels?.(after),
  keyOf: ({ id, name }) => namedKey(id, labelName(name)),
  nameOf: ({ name }) => labelName(name),
  async prepare(items, context) {
    const { deps, options } = context;
    const labels = items.map((label) => ({
      name: labelName(label.name),
      color: cleanColor(label.color),
      description: cleanLine(label.description, maxDescription),
      isExclusive: label.isExclusive === true,
      isArchived: label.isArchived === true,
    }));
    return {
      async write() {
        const ids = await deps.issueImports.labels(options.repository.id, labels);
        const written = labels.map(({ name }, at) => ({ key: namedKey(items[at]!.id, name), name, localId: ids[at]! }));
        return recordNames('label', written, context);
      },
    };
  },
};
