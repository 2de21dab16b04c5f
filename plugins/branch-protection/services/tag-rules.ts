import {
  actAudited,
  Forbidden,
  NotFound,
  type Actor,
  type Cache,
  type Database,
  type Events,
  type Locks,
  type QueryCache,
} from '@mortise/plugin-sdk';
import type { NamedList, TagProtection, TagProtections } from '../contract/branch-protection.js';
import { TagProtectionRow, tagProtectionOf } from '../models/tag-protection.js';
import type { Membership } from './membership.js';
import { checkTagPattern, type Patterns } from './patterns.js';
import { t } from '../texts/index.js';

interface TagRuleDeps {
  readonly database: Database;
  readonly events: Events;
  readonly locks: Locks;
  readonly cache: Cache;
  readonly patterns: Patterns;
  readonly membership: Membership;
}

/** Tag rules: only users on the allowlist of a matching rule may create, move and delete the tag. */
export class TagRuleService implements TagProtections {
  readonly #rules: QueryCache<readonly TagProtection[]>;

  constructor(private readonly deps: TagRuleDeps) {
    this.#rules = deps.cache.query('branch-protection.tags');
  }

  list(repositoryId: number): Promise<readonly TagProtection[]> {
    return this.#rules.load(String(repositoryId), async () => {
      const rows = await this.deps.database.query(TagProtectionRow).where('repository_id', repositoryId).orderBy('id');
      return rows.map(tagProtectionOf);
    });
  }

  async byId(repositoryId: number, id: number): Promise<TagProtection> {
    const matchingRule = (await this.list(repositoryId)).find((rule) => rule.id === id);
    if (!matchingRule) throw NotFound(t.later('error.missing'));
    return matchingRule;
  }

  async mayControl(repositoryId: number, tag: string, actor: Actor): Promise<boolean> {
    const { patterns, membership } = this.deps;
    const rules = (await this.list(repositoryId)).filter(({ namePattern }) => patterns.tag(namePattern).matches(tag));
    for (const rule of rules) if (await membership.has(rule.allowlist, actor)) return true;
    return rules.length === 0;
  }

  async create(repositoryId: number, namePattern: string, allowlist: NamedList): Promise<TagProtection> {
    checkTagPattern(namePattern);
    const { database } = this.deps;
    return this.#exclusive(repositoryId, async () => {
      await this.#checkFree(repositoryId, namePattern);
      const now = Date.now();
      const row = await database.query(TagProtectionRow).insertAndFetch({
        repository_id: repositoryId,
        name_pattern: namePattern,
        allowlist,
        created_at: now,
        updated_at: now,
      });
      const made = tagProtectionOf(row);
      await this.#audit('create', made);
      return made;
    });
  }

  async edit(rule: TagProtection, changes: { namePattern?: string; allowlist?: NamedList }): Promise<TagProtection> {
    const { namePattern, allowlist } = changes;
    if (namePattern !== undefined) checkTagPattern(namePattern);
    const { database } = this.deps;
    return this.#exclusive(rule.repositoryId, async () => {
      if (namePattern !== undefined && namePattern !== rule.namePattern)
        await this.#checkFree(rule.repositoryId, namePattern);
      const row = await database.query(TagProtectionRow).patchAndFetchById(rule.id, {
        ...(namePattern === undefined ? {} : { name_pattern: namePattern }),
        ...(allowlist === undefined ? {} : { allowlist }),
        updated_at: Date.now(),
      });
      if (!row) throw NotFound(t.later('error.missing'));
      const edited = tagProtectionOf(row);
      await this.#audit('edit', edited);
      return edited;
    });
  }

  async delete(rule: TagProtection): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const gone = await database.query(TagProtectionRow).deleteById(rule.id);
      if (gone === 0) throw NotFound(t.later('error.missing'));
      await this.#audit('delete', rule);
    });
  }

  #audit(verb: 'create' | 'edit' | 'delete', { id, repositoryId, namePattern }: TagProtection): Promise<void> {
    const target = { kind: 'tag_protection', id, name: namePattern };
    return this.deps.events.emit(actAudited, { action: `tag_protection.${verb}`, target, repositoryId });
  }

  async #checkFree(repositoryId: number, namePattern: string): Promise<void> {
    const where = { repository_id: repositoryId, name_pattern: namePattern };
    if (await this.deps.database.query(TagProtectionRow).findOne(where))
      throw Forbidden(t.later('error.nameTaken', { name: namePattern }), {
        inputs: { name_pattern: t.later('error.nameTaken', { name: namePattern }) },
      });
  }

  #exclusive<T>(repositoryId: number, work: () => Promise<T>): Promise<T> {
    const { database, locks } = this.deps;
    return locks.hold(`tag-protection:${repositoryId}`, (lock) =>
      database.write(async () => {
        const result = await work();
        await lock.check();
        return result;
      }),
    );
  }
}
