import { dateTimePattern, Joi, timeOf } from '@mortise/plugin-sdk';
import type { Filter } from '../services/finder.js';

/** What a log is asked for in an address. */
export interface FilterQuery {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly address?: string;
  readonly since?: string;
  readonly until?: string;
  readonly before?: number;
}

const text = (max: number, description: string) => Joi.string().trim().allow('').max(max).description(description);
const time = (description: string) =>
  Joi.alternatives(
    Joi.string()
      .allow('')
      .pattern(/^\d{4}-\d\d-\d\d$/),
    Joi.string().pattern(dateTimePattern),
  ).description(description);

export const filterQuery = {
  actor: text(255, 'Name of who acted'),
  action: text(64, 'A whole action, such as `access_token.create`, or its subject, such as `access_token`'),
  target: text(255, 'What the name of the target begins with'),
  address: text(64, 'Address of the client'),
  since: time('Not before this time, RFC 3339 or a day'),
  until: time('Not after this time, RFC 3339 or a day, which counts as a whole'),
  before: Joi.number().integer().min(1).description('Only entries with smaller ids: the last id of the page before'),
};

const isDay = (given: string): boolean => given.length === 10;

/** Invalid (422) for a time that there is not. */
export function filterOf({ since, until, before, ...texts }: FilterQuery): Filter {
  return {
    ...texts,
    since: timeOf(since && isDay(since) ? `${since}T00:00:00Z` : since, 'since'),
    until: timeOf(until && isDay(until) ? `${until}T23:59:59.999Z` : until, 'until'),
    before,
  };
}
