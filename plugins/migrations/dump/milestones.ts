import { Invalid, Joi } from '@mortise/plugin-sdk';
import type { SourceMilestone } from '../contract/records.js';
import { dateTime, toDateTime, toTime } from './date-time.js';

/** One element of the exchange format of milestones (MIG-03 to MIG-09). */
interface MilestoneDocument {
  readonly title: string;
  readonly description: string;
  readonly deadline: string;
  readonly created: string;
  readonly updated: string;
  readonly closed: string | null;
  readonly state: 'open' | 'closed';
}

/** The format demands a deadline: this one stands for none, here and at compatible services. */
const noDeadline = '9999-01-01T00:00:00Z';

/** The same as `schemas/milestone.json`, which other programs read; a test compares the two. */
const milestonesSchema = Joi.array<MilestoneDocument[]>()
  .items(
    Joi.object({
      title: Joi.string().allow('').required(),
      description: Joi.string().allow('').required(),
      deadline: dateTime.required(),
      created: dateTime.required(),
      updated: dateTime.required(),
      closed: dateTime.allow(null).required(),
      state: Joi.string().valid('open', 'closed').required(),
    }),
  )
  .required();

/** Checks a document as it is, without turning values into others. Throws `Invalid`, which names the element and the rule. */
export function checkMilestones(document: unknown): readonly MilestoneDocument[] {
  const { error, value } = milestonesSchema.validate(document, { convert: false });
  if (error || !value) throw Invalid(`The milestones do not follow the schema milestone.json: ${error?.message ?? ''}`);
  return value;
}

/** Milestones as they stand in the exchange format; checked as those that come in. */
export const milestonesToDocument = (milestones: readonly SourceMilestone[]): readonly MilestoneDocument[] =>
  checkMilestones(milestones.map(toDocument));

export const milestonesOfDocument = (document: unknown): SourceMilestone[] => checkMilestones(document).map(ofDocument);

function toDocument(milestone: SourceMilestone): MilestoneDocument {
  const { title, description, isClosed, dueAt, createdAt = 0, updatedAt = createdAt, closedAt } = milestone;
  return {
    title,
    description,
    deadline: dueAt ? toDateTime(dueAt) : noDeadline,
    created: toDateTime(createdAt),
    updated: toDateTime(updatedAt),
    closed: isClosed ? toDateTime(closedAt ?? updatedAt) : null,
    state: isClosed ? 'closed' : 'open',
  };
}

function ofDocument({
  title,
  description,
  deadline,
  created,
  updated,
  closed,
  state,
}: MilestoneDocument): SourceMilestone {
  const hasDeadline = !deadline.startsWith('9999-');
  return {
    title,
    description,
    isClosed: state === 'closed',
    ...(hasDeadline && { dueAt: toTime(deadline) }),
    createdAt: toTime(created),
    updatedAt: toTime(updated),
    ...(closed !== null && state === 'closed' && { closedAt: toTime(closed) }),
  };
}
