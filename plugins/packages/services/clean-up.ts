import {
  checkFields,
  compileExpression,
  Invalid,
  type Database,
  type Logger,
  type Matcher,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Package, PackageFormat, PackageVersion } from '../api.js';
import { CleanUpRuleRow } from '../models/clean-up-rule.js';
import { PackageRow, toPackage } from '../models/package.js';
import type { Store } from './store.js';
import { t } from '../texts/index.js';

/** What may be chosen. */
export const keepCounts: readonly number[] = [0, 1, 5, 10, 25, 50, 100];
export const removeDays: readonly number[] = [0, 7, 14, 30, 60, 90, 180];
export const maxPattern = 255;

/** Which versions of an owner's packages of a format go; one rule of each format. */
export interface CleanUpRule {
  readonly ownerId: number;
  readonly type: string;
  readonly isEnabled: boolean;
  /** So many of the newest versions of each package stay. */
  readonly keepCount: number;
  /** Versions stay whose name it matches as a whole; empty: none. */
  readonly keepPattern: string;
  /** Versions stay that are younger. */
  readonly removeDays: number;
  /** Only versions go whose name it matches as a whole; empty: all. */
  readonly removePattern: string;
  /** Patterns are compared with `name/version`. */
  readonly matchFullName: boolean;
}

/** A package with versions of it that a rule removes, the newest first. */
export interface Removable {
  readonly package: Package;
  readonly versions: readonly PackageVersion[];
}

const dayMs = 86_400_000;
/** Packages whose versions are read at once. */
const batchSize = 20;
const maxShown = 100;
const maxExamined = 1000;
/** Versions that go in one transaction. */
const maxAtOnce = 200;

/** Compared as a whole, whatever it holds; undefined: broken. */
const whole = (pattern: string): Matcher | undefined =>
  compileExpression(pattern) && compileExpression(`^(?:${pattern})$`, { ignoreCase: true });

const toRule = (row: CleanUpRuleRow): CleanUpRule => ({
  ownerId: row.owner_id,
  type: row.type,
  isEnabled: row.is_enabled,
  keepCount: row.keep_count,
  keepPattern: row.keep_pattern,
  removeDays: row.remove_days,
  removePattern: row.remove_pattern,
  matchFullName: row.match_full_name,
});

/** Clean-up rules of owners (reference: 1.8). Previews and the nightly job find versions by the same code. */
export class CleanUpRules {
  constructor(
    private readonly database: Database,
    private readonly store: Store,
    private readonly formats: PointReader<PackageFormat>,
    private readonly log: Logger,
  ) {}

  async of(ownerId: number): Promise<CleanUpRule[]> {
    return (await this.database.query(CleanUpRuleRow).where('owner_id', ownerId).orderBy('type')).map(toRule);
  }

  async save(rule: CleanUpRule): Promise<void> {
    const choice = (list: readonly number[], value: number) => {
      if (!list.includes(value)) throw Invalid(t.later('error.choice'));
    };
    const pattern = (text: string) => {
      if (text.length > maxPattern || (text && !whole(text))) throw Invalid(t.later('error.pattern'));
    };
    await checkFields({
      type: () => {
        if (!this.formats.get(rule.type)) throw Invalid(t.later('error.choice'));
      },
      keep_count: () => choice(keepCounts, rule.keepCount),
      keep_pattern: () => pattern(rule.keepPattern),
      remove_days: () => choice(removeDays, rule.removeDays),
      remove_pattern: () => pattern(rule.removePattern),
    });
    const row = {
      owner_id: rule.ownerId,
      type: rule.type,
      is_enabled: rule.isEnabled,
      keep_count: rule.keepCount,
      keep_pattern: rule.keepPattern,
      remove_days: rule.removeDays,
      remove_pattern: rule.removePattern,
      match_full_name: rule.matchFullName,
    };
    await this.database.write(() =>
      this.database.query(CleanUpRuleRow).insert(row).onConflict(['owner_id', 'type']).merge(),
    );
  }

  async remove(ownerId: number, type?: string): Promise<void> {
    const which = type === undefined ? { owner_id: ownerId } : { owner_id: ownerId, type };
    await this.database.write(() => this.database.query(CleanUpRuleRow).delete().where(which));
  }

  /** What a rule would remove now, on or off; not `isWhole`: there may be more. */
  async preview(rule: CleanUpRule): Promise<{ found: Removable[]; isWhole: boolean }> {
    const removable: Removable[] = [];
    let examined = 0;
    let shown = 0;
    for await (const batch of this.batches(rule)) {
      for (const one of await this.removable(rule, batch)) {
        const versions = one.versions.slice(0, maxShown - shown);
        shown += versions.length;
        removable.push({ ...one, versions });
        if (shown >= maxShown) return { found: removable, isWhole: false };
      }
      examined += batch.length;
      if (examined >= maxExamined) return { found: removable, isWhole: false };
    }
    return { found: removable, isWhole: true };
  }

  /** Every night. Gives how many versions went. */
  async run(signal: AbortSignal): Promise<number> {
    let gone = 0;
    const rules = (await this.database.query(CleanUpRuleRow).where('is_enabled', true).orderBy('id')).map(toRule);
    for (const rule of rules) {
      try {
        for await (const batch of this.batches(rule))
          for (const { package: package_ } of await this.removable(rule, batch)) {
            if (signal.aborted) return gone;
            gone += await this.clean(rule, package_);
          }
      } catch (error) {
        // one owner's rule keeps no other from being followed
        this.log.error('package clean-up rule failed', {
          event: 'packages.cleanUp.failed',
          error,
          owner: rule.ownerId,
          type: rule.type,
        });
      }
    }
    return gone;
  }

  private clean(rule: CleanUpRule, package_: Package): Promise<number> {
    return this.database.write(async () => {
      // checked again: a new version may need one of them
      const [found] = await this.removable(rule, [package_]);
      const versions = found?.versions.slice(0, maxAtOnce) ?? [];
      if (versions.length > 0) await this.store.cleanUp(package_, versions);
      return versions.length;
    });
  }

  private async *batches({ ownerId, type }: CleanUpRule): AsyncGenerator<Package[]> {
    for (let after = 0; ;) {
      const rows = await this.database
        .query(PackageRow)
        .where({ owner_id: ownerId, type, is_internal: false })
        .where('id', '>', after)
        .orderBy('id')
        .limit(batchSize);
      if (rows.length > 0) yield rows.map(toPackage);
      if (rows.length < batchSize) return;
      after = rows.at(-1)!.id;
    }
  }

  private async removable(rule: CleanUpRule, packages: readonly Package[]): Promise<Removable[]> {
    const keep = whole(rule.keepPattern);
    const remove = whole(rule.removePattern);
    // rather none than all
    if (!keep || !remove) return [];
    const before = Date.now() - rule.removeDays * dayMs;
    const all = await this.store.bareVersionsOf(packages.map(({ id }) => id));
    const removable: Removable[] = [];
    for (const package_ of packages) {
      const counted = (all.get(package_.id) ?? []).filter(({ isInternal }) => !isInternal);
      const old = counted.slice(rule.keepCount).filter(({ lowerVersion, createdAt }) => {
        const text = rule.matchFullName ? `${package_.lowerName}/${lowerVersion}` : lowerVersion;
        if (rule.keepPattern && keep.matches(text)) return false;
        return createdAt <= before && (!rule.removePattern || remove.matches(text));
      });
      if (old.length === 0) continue;
      const inUse = await this.formats.get(rule.type)?.inUse?.(package_);
      const versions = inUse ? old.filter(({ id }) => !inUse.has(id)) : old;
      if (versions.length > 0) removable.push({ package: package_, versions });
    }
    return removable;
  }
}
