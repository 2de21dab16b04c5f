import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Joi from 'joi';
import {
  expandReferences,
  normalizeSection,
  parseIni,
  type DeprecatedSetting,
  type RawSetting,
  type SettingState,
} from '@mortise/plugin-sdk';
import type { StartProblem } from '../plugins/errors.js';
import { readCompatible, withinBounds } from './compatible.js';
import { counterpartOf, counterpartText, type Counterpart } from './counterparts.js';
import { describeKey, type DeclaredKey, type DeclaredSetting } from './declared-setting.js';
import { redactedState } from './redaction.js';
import { parseEnvironment } from './ini.js';

/** Values given by code (tests, command line): section → key → value. They win over environment and file. */
export type SettingsOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a compiled object schema knows of its keys; `describe()` tells the same, but takes 25 ms of every start. */
interface ObjectTerms {
  readonly $_terms: {
    readonly keys?: readonly { readonly key: string; readonly schema: Joi.Schema }[] | null;
    readonly patterns?: unknown;
  };
  readonly _flags: { readonly unknown?: boolean };
}

/** What is said about a value that was written. */
interface Finding {
  readonly text: string;
  /** It stops the start. */
  readonly isFault: boolean;
}

const id = (section: string, key: string) => `${section}\0${key.toUpperCase()}`;
const settingLabel = (section: string, key: string) => (section ? `[${section}] ${key}` : key);

/** All settings of one host: what was written, what was declared, and what is wrong with either. */
export class SettingsRegistry {
  readonly faults: StartProblem[] = [];
  readonly warnings: string[] = [];
  readonly deprecated: (DeprecatedSetting & { owner: string })[] = [];
  readonly #raw = new Map<string, RawSetting>();
  readonly #findings = new Map<string, Finding>();
  readonly #overrides = new Map<string, { section: string; key: string; value: unknown }>();
  readonly #owners = new Map<string, string>();
  /** Sections that take further keys, with their schema. */
  readonly #openSections = new Map<string, Joi.ObjectSchema>();
  /** The settings file, whether or not it is there. */
  readonly file: string;
  readonly #folder: string;
  readonly #workDir: string | undefined;
  /** What holds, by section and key. */
  readonly #values = new Map<string, unknown>();
  readonly #keys: DeclaredKey[] = [];

  constructor(options: {
    file: string;
    environment: Readonly<Record<string, string | undefined>>;
    overrides?: SettingsOverrides;
    /** What `%(WORK_PATH)s` stands for, where it was not written. */
    workDir?: string;
    /** The file was named by the operator: it must be there. */
    fileRequired?: boolean;
  }) {
    this.file = options.file;
    this.#folder = dirname(options.file);
    this.#workDir = options.workDir;
    let text = '';
    try {
      text = readFileSync(options.file, 'utf8');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || options.fileRequired)
        this.#fault([], `the settings file ${options.file} cannot be read: ${message}`);
    }
    const file = parseIni(text, options.file);
    for (const problem of file.problems) this.#fault([], problem);
    for (const raw of [...file.values, ...parseEnvironment(options.environment)])
      this.#raw.set(id(raw.section, raw.key), raw);
    for (const [section, values] of Object.entries(options.overrides ?? {})) {
      for (const [key, value] of Object.entries(values)) {
        this.#overrides.set(id(normalizeSection(section), key), { section: normalizeSection(section), key, value });
      }
    }
  }

  get problems(): string[] {
    return this.faults.map((one) => one.text);
  }

  #fault(plugins: readonly string[], text: string): void {
    this.faults.push({ plugins: plugins.filter((name) => name !== 'core'), text });
  }

  /** What the file and the environment say, in that order. */
  get written(): RawSetting[] {
    return [...this.#raw.values()];
  }

  /** What is wrong with a written value, or holds in its place. */
  findingOn(section: string, key: string): Finding | undefined {
    return this.#findings.get(id(section, key));
  }

  /** What to use in place of a setting that a plugin has given up. */
  replacementOf(section: string, key: string): string | undefined {
    return this.deprecated.find((one) => one.section === section && one.key.toUpperCase() === key.toUpperCase())
      ?.replacement;
  }

  /** Whether anything reads it. */
  knows(section: string, key: string): boolean {
    return (
      this.#owners.has(id(section, key)) ||
      this.#isOpenTo(section, key) ||
      (/_URI$/i.test(key) && this.#owners.has(id(section, key.slice(0, -4))))
    );
  }

  #isOpenTo(section: string, key: string): boolean {
    const taken: unknown = this.#openSections.get(section)?.validate({ [key]: '1' }, { stripUnknown: true }).value;
    return typeof taken === 'object' && taken !== null && key in taken;
  }

  /** What a setting of the compatible service is here, unless a plugin has one of that name. */
  counterpartOf(section: string, key: string): Counterpart | undefined {
    return (this.#owners.get(id(section, key)) ?? 'core') === 'core' ? counterpartOf(section, key) : undefined;
  }

  /** Everything that was declared, in that order. */
  get declared(): DeclaredSetting[] {
    return this.#keys.map(describeKey);
  }

  /** Sections that were written below a prefix, without it: `storage.` gives `lfs` for `[storage.lfs]`. */
  sectionsBelow(prefix: string): string[] {
    const written = [...this.#raw.values(), ...this.#overrides.values()].map(({ section }) => section);
    return [...new Set(written.filter((name) => name.startsWith(prefix)))].map((name) => name.slice(prefix.length));
  }

  /** Sections in which one of these keys was written. */
  sectionsWith(keys: ReadonlySet<string>): string[] {
    const written = [...this.#raw.values(), ...this.#overrides.values()];
    return [...new Set(written.filter(({ key }) => keys.has(key.toUpperCase())).map(({ section }) => section))];
  }

  /** Checks what was written for the schema's keys; gives frozen values. Mistakes are kept in `problems`. */
  declare<T>(owner: string, section: string, schema: Joi.ObjectSchema<T>): Readonly<T> {
    section = normalizeSection(section);
    const { $_terms: terms, _flags: flags } = schema as unknown as ObjectTerms;
    const input: Record<string, unknown> = {};
    for (const { key, schema: one } of terms.keys ?? []) {
      const before = this.#owners.get(id(section, key));
      if (before)
        this.#fault(
          [owner, before],
          `the setting ${settingLabel(section, key)} is declared by ${before} and by ${owner}; it can have one owner`,
        );
      this.#owners.set(id(section, key), owner);
      this.#keys.push({ owner, section, key, schema: one });
    }
    for (const { key, schema: one } of terms.keys ?? []) {
      const value = this.#value(section, key, one);
      if (value !== undefined) input[key] = value;
    }
    if (flags.unknown || terms.patterns) {
      this.#openSections.set(section, schema);
      for (const { key, value } of [...this.#overrides.values()].filter((one) => one.section === section))
        if (value !== '' && !(key in input)) input[key] = value;
      for (const raw of [...this.#raw.values()].filter((one) => one.section === section)) {
        const value = raw.value === '' || raw.key in input ? undefined : this.#expanded(raw);
        if (value !== undefined) input[raw.key] = value;
      }
    }
    // for settings that name folders
    const context = { workDir: this.#workDir };
    const checked = schema.validate(input, { abortEarly: false, convert: true, stripUnknown: true, context });
    const warnings = checked.warning?.details ?? [];
    for (const detail of warnings) this.#warn(section, detail, detail.message.replace(/^".*?" /, ''));
    if (!checked.error) return this.#keep(section, checked.value);
    for (const detail of checked.error.details) this.#refuse(owner, section, detail, input);
    return this.#keep(section, schema.validate(input, { stripUnknown: true, context }).value as T);
  }

  #warn(section: string, { path }: Pick<Joi.ValidationErrorItem, 'path'>, text: string): void {
    const key = String(path[0] ?? '');
    const raw = this.#rawOf(section, key);
    const named = `${settingLabel(section, key)}${raw ? ` = ${raw.value} (${raw.from})` : ''}`;
    this.warnings.push(`the setting ${named} ${text}`);
    this.#findings.set(id(section, key), { text, isFault: false });
  }

  /** Numbers beyond the bounds start a site of a compatible server too: told, but not fatal. */
  #refuse(owner: string, section: string, detail: Joi.ValidationErrorItem, input: Record<string, unknown>): void {
    const key = String(detail.path[0] ?? '');
    const raw = this.#overrides.has(id(section, key)) ? undefined : this.#rawOf(section, key);
    const rule = detail.message.replace(/^".*?" /, '');
    const nearest = raw && withinBounds(detail, String(input[key]));
    if (nearest) {
      const used = nearest.value === undefined ? 'the default' : String(nearest.value);
      this.#warn(section, detail, `${rule}; ${used} is used`);
    } else {
      this.#findings.set(id(section, key), { text: rule, isFault: true });
      const from = raw ? ` (${raw.from})` : '';
      this.#fault([owner], `the setting ${settingLabel(section, key)} is wrong: ${rule}${from}`);
    }
    if (nearest?.value === undefined) delete input[key];
    else input[key] = nearest.value;
  }

  #keep<T>(section: string, values: T): Readonly<T> {
    for (const [key, value] of Object.entries(values as object)) this.#values.set(id(section, key), value);
    return Object.freeze(values);
  }

  /** What holds of everything that was declared. */
  states(): SettingState[] {
    return this.#keys
      .map((one) => this.#state(one))
      .sort((a, b) => (a.section < b.section ? -1 : a.section > b.section ? 1 : 0));
  }

  /** What holds of one setting; undefined where it was not declared. */
  stateOf(section: string, key: string): SettingState | undefined {
    const declared = this.#declaredKey(section, key);
    return declared && this.#state(declared);
  }

  #declaredKey(section: string, key: string): DeclaredKey | undefined {
    return this.#keys.find((one) => id(one.section, one.key) === id(section, key));
  }

  #state(key: DeclaredKey): SettingState {
    const about = describeKey(key);
    return redactedState({
      ...about,
      value: this.#values.get(id(about.section, about.key)),
      ...this.#origin(about),
    });
  }

  #origin({ section, key }: DeclaredSetting): Pick<SettingState, 'source' | 'from'> & { written: string | undefined } {
    if (this.#overrides.has(id(section, key))) return { source: 'code', written: undefined };
    const own = this.#rawOf(section, key);
    const raw = own ?? this.#raw.get(id(section, `${key}_URI`));
    if (!raw) return { source: 'default', written: undefined };
    return {
      source: raw.from.startsWith('MORTISE__') ? 'environment' : 'file',
      from: raw.from,
      written: own?.value,
    };
  }

  deprecate(owner: string, setting: DeprecatedSetting): void {
    this.deprecated.push({ ...setting, section: normalizeSection(setting.section), owner });
  }

  /** After all declarations: warns about what was written and means nothing (any more). */
  checkLeftovers(): void {
    for (const { section, key, from } of [...this.written, ...this.#overrideList()]) {
      const named = `the setting ${settingLabel(section, key)} (${from})`;
      const replacement = this.replacementOf(section, key);
      const counterpart = this.counterpartOf(section, key);
      const isTaken = counterpart?.kind === 'notYet' && this.knows(section, key);
      const elsewhere = counterpart && !isTaken ? counterpartText(counterpart) : undefined;
      if (replacement !== undefined) this.warnings.push(`${named} is deprecated: use ${replacement}`);
      else if (elsewhere !== undefined) this.warnings.push(`${named} of compatible services ${elsewhere}`);
      else if (!this.knows(section, key))
        this.warnings.push(`${named} is unknown to every loaded plugin and is ignored`);
    }
  }

  #overrideList() {
    return [...this.#overrides.values()].map(({ section, key }) => ({ section, key, from: 'given by the program' }));
  }

  /** Where the value of a key was written: in its section or, for times of tasks, for all of them in `[cron]`. */
  #rawOf(section: string, key: string): RawSetting | undefined {
    const own = this.#raw.get(id(section, key));
    return own ?? (isInheritedByTasks(section, key) ? this.#raw.get(id('cron', key)) : undefined);
  }

  #value(section: string, key: string, schema: Joi.Schema): unknown {
    const override = this.#overrides.get(id(section, key));
    if (override) return override.value;
    const raw = this.#rawOf(section, key);
    if (raw) {
      // `KEY =` means "nothing"; where nothing is no value of the setting, it means the default.
      if (raw.value === '' && schema.validate('').error) return undefined;
      const text = this.#expanded(raw);
      if (text === undefined) return undefined;
      const { value, isReplaced } = readCompatible(schema, text);
      if (isReplaced) this.#warn(section, { path: [key] }, `is not known here; ${value} is used`);
      return value;
    }
    const address = this.#raw.get(id(section, `${key}_URI`));
    return address ? this.#readSecret(address) : undefined;
  }

  /** What was written, with references to other settings replaced; undefined, and a fault, where one cannot be. */
  #expanded(raw: RawSetting): string | undefined {
    try {
      return expandReferences(raw, (section, key) => this.#textOf(section, key));
    } catch (error) {
      const text = (error as Error).message;
      this.#fault([], `the setting ${settingLabel(raw.section, raw.key)} (${raw.from}) ${text}`);
      this.#findings.set(id(raw.section, raw.key), { text, isFault: true });
      return undefined;
    }
  }

  /** What a reference to a setting stands for: what was written, else its default. */
  #textOf(section: string, key: string): string | undefined {
    const override = this.#overrides.get(id(section, key));
    if (override) return String(override.value);
    const written = this.#raw.get(id(section, key))?.value;
    const declared = this.#declaredKey(section, key);
    const preset = declared
      ? describeKey(declared).defaultText
      : section === '' && key.toUpperCase() === 'WORK_PATH'
        ? this.#workDir
        : undefined;
    return written || preset || written;
  }

  #readSecret(written: RawSetting): string | undefined {
    const value = this.#expanded(written);
    return value === undefined ? undefined : this.#readSecretFile({ ...written, value });
  }

  #readSecretFile(address: RawSetting): string | undefined {
    const label = settingLabel(address.section, address.key);
    if (!address.value.startsWith('file:')) {
      this.#fault([], `the setting ${label} (${address.from}) must be an address such as file:/run/secrets/name`);
      this.#findings.set(id(address.section, address.key), {
        text: 'must be an address such as file:/run/secrets/name',
        isFault: true,
      });
      return undefined;
    }
    try {
      const path = address.value.startsWith('file://')
        ? fileURLToPath(address.value)
        : address.value.slice('file:'.length);
      return readFileSync(isAbsolute(path) ? path : resolve(this.#folder, path), 'utf8').trim();
    } catch (error) {
      this.#fault(
        [],
        `the setting ${label} (${address.from}) names a file that cannot be read: ${(error as Error).message}`,
      );
      this.#findings.set(id(address.section, address.key), { text: 'its file cannot be read', isFault: true });
      return undefined;
    }
  }
}

const isInheritedByTasks = (section: string, key: string): boolean =>
  section.startsWith('cron.') && ['ENABLED', 'RUN_AT_START'].includes(key.toUpperCase());
