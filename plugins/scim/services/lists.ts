import { Joi } from '@mortise/plugin-sdk';
import { maxFilter } from './filter.js';
import type { ListQuery } from './representation.js';

/** Resources of one answer. */
export const maxCount = 200;
const defaultCount = 100;

export interface ProjectionQuery {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}
export type ListParameters = ProjectionQuery & {
  readonly filter: string;
  readonly startIndex: number;
  readonly count: number;
};

const projection = {
  attributes: Joi.string().allow('').max(1000),
  excludedAttributes: Joi.string().allow('').max(1000),
};

export const projectionQuery = Joi.object<ProjectionQuery>(projection).unknown();

/** A page begins at the first where that is smaller than 1, and a negative count is none (RFC 7644, 3.4.2.4). */
const page = {
  filter: Joi.string().allow('').max(maxFilter).default(''),
  startIndex: Joi.number().integer().max(Number.MAX_SAFE_INTEGER).default(1),
  count: Joi.number().integer().max(Number.MAX_SAFE_INTEGER).default(defaultCount),
};

export const listParameters = Joi.object<ListParameters>({ ...projection, ...page }).unknown();

export const pageOfList = ({ filter, startIndex, count }: ListParameters): ListQuery => ({
  filter,
  startIndex: Math.max(1, startIndex),
  count: Math.min(Math.max(0, count), maxCount),
});

/** The body of `POST …/.search` (RFC 7644, 3.4.3). */
interface SearchBody {
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
  readonly filter: string;
  readonly startIndex: number;
  readonly count: number;
}

const names = Joi.array().items(Joi.string().max(200)).max(50);

export const searchBody = Joi.object<SearchBody>({ ...page, attributes: names, excludedAttributes: names }).prefs({
  stripUnknown: true,
});

/** The same search as parameters of an address. */
export const searchParameters = ({ attributes, excludedAttributes, ...page }: SearchBody): ListParameters => ({
  ...page,
  attributes: attributes?.join(','),
  excludedAttributes: excludedAttributes?.join(','),
});
