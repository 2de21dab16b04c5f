import type { Keyed, PointReader, PointRef } from '@mortise/plugin-sdk';
import type { PointBoard } from '../contracts.js';
import { guarded } from '../plugin-errors/boundary.js';
import { PluginError, problemOf, type StartProblem } from '../plugins/errors.js';
import { slotBoundary } from '../web/slot-boundary.js';
import type { Container } from './container.js';
import type { ContributionDeclaration } from './declarations.js';

interface Filled {
  readonly list: readonly unknown[];
  readonly byKey: ReadonlyMap<string, unknown>;
  readonly owners: ReadonlyMap<unknown, string>;
}

/** Is told of what a contribution threw. */
type ContributionFailed = (owner: string, point: string, error: unknown) => void;

/** What a page does without, whatever the point. */
const fallbacks = { render: null, visible: false };

/** Extension points. A point is filled when first read, once all plugins have declared. */
export class Points implements PointBoard {
  #contributions: readonly ContributionDeclaration[] | undefined;
  #container: Container | undefined;
  readonly #filled = new Map<string, Filled>();
  #failed: ContributionFailed = () => undefined;

  /** Contributions are made once, but who keeps faults is there later. */
  onFailed(failed: ContributionFailed): void {
    this.#failed = failed;
  }

  /** No more contributions; from now on points can be read. */
  seal(contributions: readonly ContributionDeclaration[], container: Container): void {
    this.#contributions = contributions;
    this.#container = container;
  }

  reader<C>(ref: PointRef<C>): PointReader<C> {
    let filled: Filled | undefined;
    const get = () => (filled ??= this.#fill(ref));
    return {
      list: () => get().list as readonly C[],
      get: (key) => get().byKey.get(key) as C | undefined,
      ownerOf: (contribution) => get().owners.get(contribution),
    };
  }

  /** Makes every contribution; gives what is wrong with them. */
  fillAll(): StartProblem[] {
    const problems: StartProblem[] = [];
    for (const ref of new Map((this.#contributions ?? []).map((one) => [one.ref.id, one.ref])).values()) {
      try {
        this.#fill(ref);
      } catch (error) {
        problems.push(problemOf(error));
      }
    }
    return problems;
  }

  #make<T>(owner: string, point: string, make: () => T): T {
    try {
      return make();
    } catch (error) {
      throw PluginError.of(owner, `fails to make its contribution to ${point}`, error);
    }
  }

  #fill(ref: PointRef<unknown>): Filled {
    const before = this.#filled.get(ref.id);
    if (before) return before;
    if (!this.#contributions || !this.#container) {
      throw new Error(
        `the extension point ${ref.id} is read too early: it is complete when all plugins have registered`,
      );
    }
    const owners = new Map<unknown, string>();
    const byKey = new Map<string, unknown>();
    const made: { value: unknown; order: number }[] = [];
    for (const { owner, ref: own, dependencies, make } of this.#contributions) {
      if (own.id !== ref.id) continue;
      const plain = this.#make(owner, ref.id, () => make(this.#container!.resolve(dependencies, owner)));
      const failed = (error: unknown) => this.#failed(owner, ref.id, error);
      const value = guarded(plain, {
        fallbacks: { ...fallbacks, ...own.fallback },
        failed,
        guardNode: (node) => slotBoundary(node, failed),
      });
      made.push({ value, order: (value as { order?: number } | null)?.order ?? 100 });
      if (own.shape === 'keyed') {
        const key = (value as Keyed).key;
        if (typeof key !== 'string' || key === '')
          throw new PluginError(owner, `contributes to ${ref.id}`, 'without a key');
        if (byKey.has(key)) {
          const before = owners.get(byKey.get(key));
          throw new PluginError(
            owner,
            `contributes "${key}" to ${ref.id}`,
            `${before} has done so; a key can have one owner`,
          );
        }
        byKey.set(key, value);
      }
      owners.set(value, owner);
    }
    // The sort is stable: equal orders keep the order of the plugins.
    const list = made.sort((a, b) => a.order - b.order).map((one) => one.value);
    const filled = { list: Object.freeze(list), byKey, owners };
    this.#filled.set(ref.id, filled);
    return filled;
  }
}
