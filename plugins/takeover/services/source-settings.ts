import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Invalid, normalizeSection, parseIni, type RawSetting, type SourceFolder } from '@mortise/plugin-sdk';

/** The settings of the server that is taken over, as its app.ini says them. */
export class SourceSettings {
  readonly #values = new Map<string, string>();
  /** As they stand in the file, the last where one stands twice. */
  readonly written: readonly RawSetting[];
  /** What it calls its work folder. */
  readonly workFolder: string;

  private constructor(
    readonly file: string,
    folder: string,
  ) {
    const last = new Map<string, RawSetting>();
    for (const setting of parseIni(readFileSync(file, 'utf8'), file).values)
      last.set(`${setting.section} ${setting.key.toUpperCase()}`, setting);
    for (const [name, { value }] of last) this.#values.set(name, value);
    this.written = [...last.values()];
    // a folder that was moved or copied lies where it was given, whatever the file says
    const named = this.text('', 'WORK_PATH') ?? '';
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

  /** Where a secret of that server stands, or would stand, for messages. */
  placeOf(section: string, key: string): string {
    const [value, uri] = [key, `${key}_URI`].map((one) => this.#values.get(`${normalizeSection(section)} ${one}`));
    if (!value && uri) return `${uri}, which [${section}] ${key}_URI of ${this.file} names`;
    return value
      ? `[${section}] ${key} of ${this.file}`
      : `the preset key, since ${this.file} has no [${section}] ${key}`;
  }

  /** Undefined where it is not set. A `_URI` beside a secret names the file that holds it. */
  text(section: string, key: string): string | undefined {
    const name = `${normalizeSection(section)} ${key.toUpperCase()}`;
    const value = this.#values.get(name) ?? this.#values.get(gogsNames[name] ?? '');
    if (value) return value;
    const uri = this.#values.get(`${normalizeSection(section)} ${key.toUpperCase()}_URI`);
    if (!uri?.startsWith('file:')) return value;
    const file = uri.replace(/^file:(?:\/\/)?/, '');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  }

  get dataFolder(): string {
    const path = this.text('server', 'APP_DATA_PATH') ?? 'data';
    if (path.includes('%(APP_DATA_PATH)s')) throw Invalid(`[server] APP_DATA_PATH of ${this.file} names itself.`);
    return this.#path(path, this.workFolder);
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

  /** `@WORK@` and `%(APP_DATA_PATH)s` stand for folders; what is relative lies below `base`. */
  #path(value: string, base: string): string {
    const text = value
      .replaceAll('@WORK@', () => this.workFolder)
      .replaceAll('%(APP_DATA_PATH)s', () => this.dataFolder)
      .replaceAll('%(WORK_PATH)s', () => this.workFolder);
    return isAbsolute(text) ? text : resolve(base, text);
  }
}

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
