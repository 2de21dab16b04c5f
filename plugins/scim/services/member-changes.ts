import { isJsonObject, toId } from '@mortise/plugin-sdk';
import type { PatchBody } from './patch.js';
import { scimProblem } from './scim-problem.js';

type Operation = PatchBody['Operations'][number];

/** Who is to be in a group. */
export interface WantedMembers {
  readonly ids: ReadonlySet<number>;
  /** Those who were removed each by their id, and not because everybody was or others took their place. */
  readonly explicitlyRemoved: ReadonlySet<number>;
}

interface SplitPatch {
  readonly members: WantedMembers;
  /** What is left for other attributes. */
  readonly others: readonly Operation[];
}

const membersPath = /^(?:urn:ietf:params:scim:schemas:core:2\.0:Group:)?members(?![\w$-])(.*)$/is;
const valueFilter = /^\[\s*value\s+eq\s+"([^"]*)"\s*\]$/i;

/**
 * Applies the operations on `members` (RFC 7644, 3.5.2): of the paths `members` and `members[value eq "…"]`, and without
 * a path. They may name at most `maxNamed` members together.
 *
 * @throws problems of the types `invalidPath`, `invalidValue` and `tooMany`
 */
export function splitPatch(present: readonly number[], operations: readonly Operation[], maxNamed: number): SplitPatch {
  const changes = new MemberChanges(present, maxNamed);
  const others: Operation[] = [];
  for (const one of operations) {
    const { op, path, value } = one;
    const [, rest] = path === undefined ? [] : (membersPath.exec(path) ?? []);
    if (rest !== undefined) changes.applyAt(rest, op, value);
    else if (path === undefined && op !== 'remove' && isJsonObject(value)) {
      const kept = Object.entries(value).filter(([name, part]) => {
        const isMembers = membersPath.exec(name)?.[1] === '';
        if (isMembers) changes.apply(op, part);
        return !isMembers;
      });
      others.push({ op, value: Object.fromEntries(kept) });
    } else others.push(one);
  }
  return { members: changes, others };
}

class MemberChanges implements WantedMembers {
  readonly ids: Set<number>;
  readonly explicitlyRemoved = new Set<number>();
  #named = 0;

  constructor(
    present: readonly number[],
    private readonly maxNamed: number,
  ) {
    this.ids = new Set(present);
  }

  /** `rest`: of the path, behind `members`. */
  applyAt(rest: string, op: string, value: unknown): void {
    const filtered = valueFilter.exec(rest)?.[1];
    if (filtered !== undefined && op === 'remove') this.apply(op, { value: filtered });
    else if (rest !== '')
      throw scimProblem('invalidPath', 'Of members, those of one "value" are removed, and no part of one is changed.');
    else if (value !== undefined) this.apply(op, value);
    else if (op === 'remove') this.ids.clear();
    else throw scimProblem('invalidValue', `${op} needs a value.`);
  }

  apply(op: string, value: unknown): void {
    const named = this.#idsOf(value);
    if (op === 'replace') this.ids.clear();
    for (const id of named) {
      if (op !== 'remove') this.ids.add(id);
      else if (this.ids.delete(id)) this.explicitlyRemoved.add(id);
    }
  }

  #idsOf(value: unknown): readonly number[] {
    const list: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
    this.#named += list.length;
    if (this.#named > this.maxNamed) throw scimProblem('tooMany', `A request names at most ${this.maxNamed} members.`);
    return list.map((one) => {
      const told = isJsonObject(one) ? Object.entries(one).find(([name]) => name.toLowerCase() === 'value') : undefined;
      if (typeof told?.[1] !== 'string')
        throw scimProblem('invalidValue', 'A member is an object with its id as "value".');
      return toId(told[1]);
    });
  }
}
