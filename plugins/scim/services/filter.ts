import type { QueryBuilder } from 'objection';
import type { Model } from '@mortise/plugin-sdk';
import type { Compare, Filter } from 'scim2-parse-filter';
import { scimProblem } from './scim-problem.js';

/** Which rows may have a value, found by an index, so that `eq` compares few. */
interface Candidates {
  readonly column: string;
  /** Undefined: any row. */
  readonly ids: (value: string) => Promise<readonly number[] | undefined>;
}

/** How an attribute is found in the database. */
interface Attribute {
  /** An expression, never null, with `??` for columns and `?` for values. Of texts in any case: in lower case. */
  readonly sql: string;
  readonly bindings: readonly string[];
  readonly type: 'text' | 'textInAnyCase' | 'boolean' | 'id';
  readonly candidates?: Candidates;
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
  const conditions = new FilterConditions(attributes);
  await conditions.prepare(filter, '');
  conditions.add(query, filter, '');
}

class FilterConditions {
  #comparisons = 0;
  readonly #candidates = new Map<Filter, readonly number[]>();

  constructor(private readonly attributes: Attributes) {}

  /** Before {@link add}: looks for the candidates of each `eq`. */
  async prepare(filter: Filter, prefix: string): Promise<void> {
    switch (filter.op) {
      case 'and':
      case 'or':
        for (const one of filter.filters) await this.prepare(one, prefix);
        return;
      case 'not':
        return this.prepare(filter.filter, prefix);
      case '[]':
        return this.prepare(filter.valFilter, `${prefix}${filter.attrPath}.`);
      case 'eq': {
        this.#count();
        const { candidates, type } = this.#attribute(`${prefix}${filter.attrPath}`);
        const ids = candidates && (await candidates.ids(String(operand(filter.compValue, type))));
        if (ids) this.#candidates.set(filter, ids);
        return;
      }
      default:
        this.#count();
    }
  }

  #count(): void {
    if (++this.#comparisons > maxComparisons) throw invalid(`A filter has at most ${maxComparisons} comparisons.`);
  }

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

  #compare(query: Query, comparison: Compare, { sql, bindings, type, candidates }: Attribute): void {
    const { op, compValue } = comparison;
    const wanted = operand(compValue, type);
    if (op === 'eq') {
      const ids = this.#candidates.get(comparison);
      if (candidates && ids) query.whereIn(candidates.column, [...ids]);
      query.whereRaw(`${sql} = ?`, [...bindings, wanted]);
    } else if (op === 'ne') query.whereRaw(`${sql} <> ?`, [...bindings, wanted]);
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
