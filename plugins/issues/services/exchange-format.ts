import { Joi, dateTimePattern, parseDateTime } from '@mortise/plugin-sdk';

/** A milestone in the exchange format (MIG-03 to MIG-09). Times are RFC 3339. */
export interface ExchangedMilestone {
  readonly title: string;
  /** Markdown, may span several lines. */
  readonly description: string;
  /** Past it the milestone is overdue; a year from 9999 on stands for none. */
  readonly deadline: string;
  readonly created: string;
  readonly updated: string;
  /** When it was last closed. */
  readonly closed: string | null;
  readonly state: 'open' | 'closed';
}

const time = (description: string) => ({ type: 'string', format: 'date-time', description }) as const;

/** The format for programs that check it (MIG-10, VER-13). */
export const milestoneExchangeDocument = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  title: 'Milestones',
  description: 'Milestones of a repository, for other services and programs',
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['title', 'description', 'deadline', 'created', 'updated', 'closed', 'state'],
    properties: {
      title: { type: 'string', description: 'What it is called' },
      description: { type: 'string', description: 'Markdown, may span several lines' },
      deadline: time('When it is due; a year from 9999 on stands for no date'),
      created: time('When it was created'),
      updated: time('When it was last changed'),
      closed: { type: ['string', 'null'], format: 'date-time', description: 'When it was last closed' },
      state: { enum: ['open', 'closed'], description: 'Whether it is open' },
    },
  },
} as const;

/** Milestones of one import, and bytes of its file. */
export const maxExchanged = 1000;
export const maxImportBytes = 8 * 1024 * 1024;

const dateTime = () =>
  Joi.string()
    .pattern(dateTimePattern)
    .custom((text: string, helpers) => (Number.isNaN(parseDateTime(text)) ? helpers.error('any.invalid') : text))
    .required();

export const exchangedMilestones = Joi.array<readonly ExchangedMilestone[]>()
  .items(
    Joi.object<ExchangedMilestone>({
      title: Joi.string().trim().max(255).required(),
      description: Joi.string().allow('').max(1_000_000).required(),
      deadline: dateTime().description('A year from 9999 on stands for none'),
      created: dateTime(),
      updated: dateTime(),
      closed: dateTime().allow(null),
      state: Joi.string().valid('open', 'closed').required(),
    })
      .unknown(false)
      .label('ExchangedMilestone'),
  )
  .max(maxExchanged)
  .required()
  .label('ExchangedMilestones');
