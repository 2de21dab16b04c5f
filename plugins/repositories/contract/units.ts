import type Joi from 'joi';
import type { VNode } from 'preact';
import { definePoint, defineService, type FormValues, type Keyed, type Text } from '@mortise/plugin-sdk';
import type { Repository, Unit } from './repositories.js';

type Options = Readonly<Record<string, unknown>>;

/**
 * Extension point: a part of a repository that its administrators can switch off, with options of its own. Routes and
 * pages of the unit name its key in their access; `repositories` keeps whether it is on, and the options, and knows nothing
 * else about it.
 */
export interface RepositoryUnit extends Keyed {
  /** `wiki`; also in `[repository] DEFAULT_REPO_UNITS`, as `repo.wiki`. */
  readonly key: string;
  readonly label: Text;
  readonly order?: number;
  /** The field that switches it in the record and in the bodies of the REST surface: `has_wiki`. */
  readonly field: string;
  /** Only clients of the REST surface know it, because nothing is there yet that it would switch; pages leave it out. */
  readonly isApiOnly?: boolean;
  /** Stands in for a plugin that is not loaded: bodies take its field, and documents leave it out. */
  readonly isUndocumented?: boolean;
  /** Names of the sets of labels that a new repository can begin with, where what the unit holds has labels. */
  readonly labelSets?: readonly string[];
  /** Options that a new unit begins with, and one that is switched on again. */
  readonly defaults?: Options;
  /** Further fields of `PATCH /repos/{owner}/{repo}`. */
  readonly body?: Readonly<Record<string, Joi.Schema>>;
  /** Options that such a body changes; undefined as a value removes one. Throws Invalid for what cannot be. */
  change?(body: Options, config: Options): Options | undefined;
  /** Throws Invalid for options that do not go together; asked while the unit is on. */
  check?(config: Options): void;
  /** What the unit names lies at another site: here nobody can read it. */
  isElsewhere?(config: Options): boolean;
  /**
   * Reads as not found, instead of forbidden, where it cannot be read; with the keys of other units: for those who can
   * read none of them either.
   */
  readonly isHidden?: boolean | readonly string[];
  /** Administrators of the repository may look at what there was of it while the unit is off. */
  readonly staysOpen?: boolean;
  /** Further fields of the record, such as options and counters. */
  record?(unit: Unit, repository: Repository): Options;
  /** Options on the settings page, below its switch. */
  readonly form?: UnitForm;
}

interface UnitForm {
  /** `sent`: the form that was refused. Texts are made in components of what it returns. */
  fields(config: Options, sent?: FormValues): VNode;
  /** The form as the body of a PATCH. */
  body(values: FormValues): Options;
}

/** Is it an HTTP or HTTPS address, as those of a tracker or a wiki at another site are? */
export const isWebAddress = (text: unknown): boolean =>
  typeof text === 'string' && /^https?:\/\/[^\s/$.?#][^\s]*$/i.test(text);

/** The units that there are: those of plugins, and those that clients know before a plugin brings them. */
export interface KnownUnits {
  list(): readonly RepositoryUnit[];
}
export const knownUnits = defineService<KnownUnits>('repositories.knownUnits');

export const repositoryUnits = definePoint.keyed<RepositoryUnit>('repositories.units');
