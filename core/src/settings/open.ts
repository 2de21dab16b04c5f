import { join, resolve } from 'node:path';
import { SettingsBook, type SettingsOverrides } from './book.js';

/** Where a host finds its settings. */
export interface SettingsLocation {
  /** All state lies below it; default `MORTISE_WORK_DIR`, else `./data`. */
  readonly workDir?: string;
  /** Settings file; default `config/app.ini` in the work directory. */
  readonly config?: string;
  /** Values over those of file and environment: section → key → value. */
  readonly settings?: SettingsOverrides;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Reads file and environment; nothing is declared yet. */
export function openSettings(place: SettingsLocation): { workDir: string; book: SettingsBook } {
  const environment = place.environment ?? process.env;
  const workDir = resolve(place.workDir ?? environment.MORTISE_WORK_DIR ?? 'data');
  const book = new SettingsBook({
    file: place.config ? resolve(place.config) : join(workDir, 'config', 'app.ini'),
    fileRequired: place.config !== undefined,
    environment,
    overrides: place.settings,
  });
  return { workDir, book };
}
