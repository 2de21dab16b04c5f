import { Invalid, type PointReader } from '@mortise/plugin-sdk';
import type Joi from 'joi';
import type { Repository, RepositoryUnit } from '../api.js';
import type { Unit } from '../contract/repositories.js';
import { t } from '../texts/index.js';

type Body = Readonly<Record<string, unknown>>;

/** Which units are on, and options to merge into theirs, by key. */
export interface UnitChanges {
  readonly units?: Readonly<Record<string, boolean>>;
  readonly unitConfig?: Readonly<Record<string, Body>>;
}

/** The fields of the record that are there whatever plugins are loaded (REP-01). */
const absent: Body = {
  has_code: false,
  has_issues: false,
  has_pull_requests: false,
  has_releases: false,
  has_wiki: false,
  has_projects: false,
  has_packages: false,
  has_actions: false,
  open_issues_count: 0,
  open_pr_counter: 0,
  release_counter: 0,
  projects_mode: 'all',
  ignore_whitespace_conflicts: false,
  allow_merge_commits: false,
  allow_rebase: false,
  allow_rebase_explicit: false,
  allow_squash_merge: false,
  allow_fast_forward_only_merge: false,
  allow_merge_update: false,
  allow_rebase_update: false,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  default_delete_branch_after_merge: false,
  default_allow_maintainer_edit: false,
  default_merge_style: 'merge',
  default_update_style: 'merge',
};

const none = () => Invalid(t.later('error.units'));

/** The units of the plugins that are loaded. */
export class Units {
  #listed: { readonly given: readonly RepositoryUnit[]; readonly all: readonly RepositoryUnit[] } | undefined;

  /** `standIns`: units whose fields clients know before a plugin brings the unit; with it they give way. */
  constructor(
    private readonly point: PointReader<RepositoryUnit>,
    private readonly standIns: readonly RepositoryUnit[] = [],
  ) {}

  list(): readonly RepositoryUnit[] {
    const given = this.point.list();
    // asked for with every record; what is contributed stays the same
    if (this.#listed?.given !== given) {
      const missing = this.standIns.filter(({ key }) => !this.point.get(key));
      const all = [...given, ...missing].sort((a, b) => (a.order ?? 100) - (b.order ?? 100));
      this.#listed = { given, all };
    }
    return this.#listed.all;
  }

  get(key: string): RepositoryUnit | undefined {
    return this.point.get(key) ?? this.standIns.find((unit) => unit.key === key);
  }

  /** What a form switches that shows these. */
  ofForm(isOn: (field: string) => boolean, units = this.shown()): Record<string, boolean> {
    const picked = Object.fromEntries(units.map(({ key, field }) => [key, isOn(field)]));
    if (!Object.values(picked).includes(true)) throw none();
    return picked;
  }

  /** Those that pages offer. */
  shown(): readonly RepositoryUnit[] {
    return this.list().filter((unit) => !unit.isApiOnly);
  }

  /** Sets of labels that a new repository can begin with. */
  labelSets(): readonly string[] {
    return this.list().flatMap((unit) => unit.labelSets ?? []);
  }

  /** Of a new repository. What is switched on by default is so also for plugins that come later. */
  initial(enabled: ReadonlySet<string>, asked: Readonly<Record<string, boolean>> = {}): Unit[] {
    const keys = new Set([...this.list().map(({ key }) => key), ...enabled]);
    return this.#atLeastOne(
      [...keys].map((key) => ({
        key,
        enabled: asked[key] ?? enabled.has(key),
        config: { ...this.get(key)?.defaults },
      })),
    );
  }

  /** The stored units after the changes; those of plugins that are not loaded stay as they are. */
  changed(stored: readonly Unit[], { units = {}, unitConfig = {} }: UnitChanges): Unit[] {
    const before = new Map(stored.map((unit) => [unit.key, unit]));
    const known = this.list().map((unit): Unit => {
      const { key } = unit;
      const was = before.get(key);
      const enabled = units[key] ?? was?.enabled ?? false;
      // Switched on again, a unit starts with its defaults.
      const base = units[key] && !was?.enabled ? unit.defaults : was?.config;
      const config = { ...base, ...unitConfig[key] };
      if (enabled) unit.check?.({ ...unit.defaults, ...config });
      return { key, enabled, config };
    });
    return this.#atLeastOne([...known, ...stored.filter(({ key }) => !this.get(key))]);
  }

  /** REP-06 */
  #atLeastOne(units: Unit[]): Unit[] {
    if (!units.some((unit) => unit.enabled && this.get(unit.key))) throw none();
    return units;
  }

  /** Their part of the record (REP-02, REP-03). */
  record(repository: Repository): Record<string, unknown> {
    const stored = new Map(repository.units.map((unit) => [unit.key, unit]));
    const record = { ...absent };
    for (const one of this.list()) {
      const unit = stored.get(one.key) ?? { key: one.key, enabled: false, config: {} };
      Object.assign(record, { [one.field]: unit.enabled }, one.record?.(unit, repository));
    }
    return record;
  }

  /** Fields of bodies that switch units. */
  flags(): readonly Pick<RepositoryUnit, 'field' | 'isUndocumented'>[] {
    return this.list();
  }

  /** Fields of a PATCH beside the switches. */
  bodyFields(): Record<string, Joi.Schema> {
    return Object.assign({}, ...this.list().map(({ body }) => body)) as Record<string, Joi.Schema>;
  }

  /** What a body switches. */
  picked(body: Body): Record<string, boolean> {
    const given = this.list().filter(({ field }) => typeof body[field] === 'boolean');
    return Object.fromEntries(given.map(({ key, field }) => [key, body[field] as boolean]));
  }

  /** What a PATCH asks for; absent fields change nothing. */
  changesOf(body: Body, repository: Repository): UnitChanges {
    const stored = new Map(repository.units.map((unit) => [unit.key, unit.config]));
    const unitConfig: Record<string, Body> = {};
    for (const unit of this.list()) {
      const given: Record<string, unknown> = {};
      for (const option of Object.keys(unit.defaults ?? {})) {
        const value = unit.body?.[option] && body[option];
        if (value !== undefined && value !== null && value !== '') given[option] = value;
      }
      const config = { ...given, ...unit.change?.(body, stored.get(unit.key) ?? {}) };
      if (Object.keys(config).length) unitConfig[unit.key] = config;
    }
    return { units: this.picked(body), unitConfig };
  }
}
