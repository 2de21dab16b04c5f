import type { QueryBuilder } from 'objection';
import type { Model } from '@mortise/plugin-sdk';
import type { Compare, Filter } from 'scim2-parse-filter';
import { scimProblem } from './scim-problem.js';

/** How an attribute is found in the database. */
interface Attribute {
  /** An expression, never null, with `??` for columns and `?` for values. Of texts in any case: in lower case. */
  readonly sql: string;
  readonly bindings: readonly string[];
  readonly type: 'text' | 'textInAnyCase' | 'boolean' | 'id';
}

/** By their names in lower case, sub-attributes behind a dot. */
export type Attributes = Readonly<Record<string, Attribute>>;

type Query = QueryBuilder<Model>;

export const maxFilter = 1000;
const maxComparisons = 30;
const schemaPrefix = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;
const patterns = { co: ['%', '%'], sw: ['', '%'], ew: ['%', ''] } as const;

const invalid = (detail: string) => scimProblem('invalidFilter', detail);

/**
 * Leaves the rows that a filter (RFC 7644, 3.4.2.2) matches: `eq`, `ne`, `co`, `sw`, `ew`, `pr`, `and`, `or`, `not` and
 * brackets. At most {@link maxFilter} characters and 30 comparisons.
 *
 * @throws a problem of the type `invalidFilter`
 */
export async function whereFilter(query: Query, text: string, attributes: Attributes): Promise<void> {
  const { parse } = await import('scim2-parse-filter');
  if (text.length > maxFilter) throw invalid(`A filter has at most ${maxFilter} characters.`);
  let filter: Filter;
  try {
    filter = parse(text);
  } catch (error) {
    throw invalid(`The filter cannot be read: ${(error as Error).message}`);
  }
  new FilterConditions(attributes).add(query, filter, '');
}

class FilterConditions {
  #comparisons = 0;

  constructor(private readonly attributes: Attributes) {}

  add(query: Query, filter: Filter, prefix: string): void {
    switch (filter.op) {
      case 'and':
      case 'or':
        query.where((group) => {
          for (const one of filter.filters)
            group[filter.op === 'or' ? 'orWhere' : 'where']((part) => this.add(part as Query, one, prefix));
        });
        return;
      case 'not':
        query.whereNot((part) => this.add(part as Query, filter.filter, prefix));
        return;
      case '[]':
        this.add(query, filter.valFilter, `${prefix}${filter.attrPath}.`);
        return;
      case 'pr':
        this.#present(query, this.#attribute(`${prefix}${filter.attrPath}`));
        return;
      default:
        this.#compare(query, filter, this.#attribute(`${prefix}${filter.attrPath}`));
    }
  }

  #attribute(path: string): Attribute {
    if (++this.#comparisons > maxComparisons) throw invalid(`A filter has at most ${maxComparisons} comparisons.`);
    const name = path.toLowerCase().replace(schemaPrefix, '');
    const attribute = Object.hasOwn(this.attributes, name) ? this.attributes[name] : undefined;
    if (!attribute) throw invalid(`Nothing can be found by "${path}".`);
    return attribute;
  }

  #present(query: Query, { sql, bindings, type }: Attribute): void {
    // others are never without a value; a condition all the same, for `not` to turn round
    if (type.startsWith('text')) query.whereRaw(`${sql} <> ''`, [...bindings]);
    else query.whereRaw('1 = 1');
  }

  #compare(query: Query, { op, compValue }: Compare, { sql, bindings, type }: Attribute): void {
    const wanted = operand(compValue, type);
    if (op === 'eq') query.whereRaw(`${sql} = ?`, [...bindings, wanted]);
    else if (op === 'ne') query.whereRaw(`${sql} <> ?`, [...bindings, wanted]);
    else if (op in patterns && typeof wanted === 'string') {
      const [before, after] = patterns[op as keyof typeof patterns];
      const pattern = `${before}${wanted.replace(/[!%_]/g, '!$&')}${after}`;
      query.whereRaw(`${sql} like ? escape '!'`, [...bindings, pattern]);
    } else throw invalid(`"${op}" cannot be used here.`);
  }
}

function operand(given: Compare['compValue'], type: Attribute['type']): string | number {
  if (type === 'boolean') {
    if (typeof given === 'boolean') return given ? 1 : 0;
    throw invalid('A value of true or false is compared with true or false.');
  }
  if (typeof given !== 'string') throw invalid('A text is compared with a text.');
  if (type === 'id') return /^\d{1,9}$/.test(given) ? Number(given) : 0;
  return type === 'textInAnyCase' ? given.toLowerCase() : given;
}
