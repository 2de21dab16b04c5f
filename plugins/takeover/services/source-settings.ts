import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  expandReferences,
  Invalid,
  normalizeSection,
  parseIni,
  type RawSetting,
  type SourceFolder,
} from '@mortise/plugin-sdk';

/** The settings of the server that is taken over, as its app.ini says them. */
export class SourceSettings {
  readonly #values = new Map<string, RawSetting>();
  /** What it calls its work folder. */
  readonly workFolder: string;

  private constructor(
    readonly file: string,
    folder: string,
  ) {
    for (const setting of parseIni(readFileSync(file, 'utf8'), file).values)
      this.#values.set(idOf(setting.section, setting.key), setting);
    // a folder that was moved or copied lies where it was given, whatever the file says
    const named = this.#values.get(idOf('', 'WORK_PATH'))?.value ?? '';
    const isElsewhere = !hasData(folder) && isAbsolute(named) && hasData(named);
    this.workFolder = isElsewhere ? named : folder;
  }

  /** By a work folder or the path of an app.ini. */
  static open(path: string): SourceSettings {
    const given = resolve(path);
    if (!existsSync(given)) throw Invalid(`--from: there is no ${given}.`);
    if (statSync(given).isFile()) return new SourceSettings(given, folderAbove(given));
    const file = ['custom/conf/app.ini', 'conf/app.ini', 'app.ini', 'gitea/conf/app.ini']
      .map((one) => join(given, one))
      .find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
    if (!file) throw Invalid(`--from: ${given} has no custom/conf/app.ini.`);
    return new SourceSettings(file, given);
  }

  /** The last where one stands twice; with what references stand for, except for those to presets. */
  get written(): RawSetting[] {
    return [...this.#values.values()].map((setting) => {
      try {
        return { ...setting, value: this.#expanded(setting) };
      } catch {
        return setting;
      }
    });
  }

  /** Where a secret of that server stands, or would stand, for messages. */
  placeOf(section: string, key: string): string {
    const [value, uri] = [key, `${key}_URI`].map((one) => this.#values.get(idOf(section, one))?.value);
    if (!value && uri) return `${uri}, which [${section}] ${key}_URI of ${this.file} names`;
    return value
      ? `[${section}] ${key} of ${this.file}`
      : `the preset key, since ${this.file} has no [${section}] ${key}`;
  }

  /** Undefined where it is not set. A `_URI` beside a secret names the file that holds it. */
  text(section: string, key: string): string | undefined {
    const name = idOf(section, key);
    const setting = this.#values.get(name) ?? this.#values.get(gogsNames[name] ?? '');
    if (setting?.value) return this.#expanded(setting);
    const uri = this.#values.get(idOf(section, `${key}_URI`))?.value;
    if (!uri?.startsWith('file:')) return setting?.value;
    const file = uri.replace(/^file:(?:\/\/)?/, '');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  /** With what references stand for. Refused where one stands for nothing or goes in a circle. */
  #expanded(setting: RawSetting): string {
    try {
      return expandReferences(setting, (section, key) => this.#referenced(section, key.toUpperCase()));
    } catch (error) {
      throw Invalid(`${setting.from}: [${setting.section}] ${setting.key} ${(error as Error).message}.`);
    }
  }

  /** The folders lie where they lie, whatever the file says, and are known in every section. */
  #referenced(section: string, key: string): string | undefined {
    if (key === 'WORK_PATH') return this.workFolder;
    if (key === 'APP_DATA_PATH' && section !== '') return this.dataFolder;
    return this.#values.get(idOf(section, key))?.value;
  }

  get dataFolder(): string {
    return this.#path(this.text('server', 'APP_DATA_PATH') ?? 'data', this.workFolder);
  }

  /** Where the database file lies. */
  get databaseFile(): string {
    const path = this.text('database', 'PATH');
    if (path) return this.#path(path, this.workFolder);
    const names = ['gitea.db', 'forgejo.db', 'gogs.db'].map((name) => join(this.dataFolder, name));
    return names.find(existsSync) ?? names[0]!;
  }

  folder(name: SourceFolder): string {
    if (name === 'custom') return dirname(dirname(this.file));
    if (name === 'repositories') {
      const root = this.text('repository', 'ROOT');
      if (root) return this.#path(root, this.workFolder);
      const names = ['gitea-repositories', 'forgejo-repositories'].map((one) => join(this.dataFolder, one));
      return names.find(existsSync) ?? names[0]!;
    }
    return this.#path(this.#storagePath(name) ?? name, this.dataFolder);
  }

  #storagePath(name: Exclude<SourceFolder, 'custom' | 'repositories'>): string | undefined {
    const [section, key] = storageSettings[name];
    return this.text(section, key) ?? this.text(`storage.${name}`, 'PATH');
  }

  /** `@WORK@` stands for the work folder; what is relative lies below `base`. */
  #path(value: string, base: string): string {
    const text = value.replaceAll('@WORK@', () => this.workFolder);
    return isAbsolute(text) ? text : resolve(base, text);
  }
}

const idOf = (section: string, key: string): string => `${normalizeSection(section)} ${key.toUpperCase()}`;

/** Settings that Gogs has by another name. */
const gogsNames: Readonly<Record<string, string>> = {
  'database DB_TYPE': 'database TYPE',
  'database PASSWD': 'database PASSWORD',
  'lfs PATH': 'lfs OBJECTS_PATH',
};

const storageSettings = {
  lfs: ['lfs', 'PATH'],
  packages: ['packages', 'PATH'],
  attachments: ['attachment', 'PATH'],
  avatars: ['picture', 'AVATAR_UPLOAD_PATH'],
  'repo-avatars': ['picture', 'REPOSITORY_AVATAR_UPLOAD_PATH'],
  actions_log: ['storage.actions_log', 'PATH'],
  actions_artifacts: ['storage.artifacts', 'PATH'],
} as const;

const hasData = (folder: string): boolean => existsSync(join(folder, 'data'));

const folderAbove = (file: string): string => {
  const above = dirname(file);
  return above.endsWith(join('custom', 'conf')) ? dirname(dirname(above)) : dirname(above);
};
