import { join, resolve } from 'node:path';
import { SettingsRegistry, type SettingsOverrides } from './registry.js';

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
export function openSettings(location: SettingsLocation): { workDir: string; settingsRegistry: SettingsRegistry } {
  const environment = location.environment ?? process.env;
  const workDir = resolve(location.workDir ?? environment.MORTISE_WORK_DIR ?? 'data');
  const settingsRegistry = new SettingsRegistry({
    file: location.config ? resolve(location.config) : join(workDir, 'config', 'app.ini'),
    fileRequired: location.config !== undefined,
    environment,
    workDir,
    overrides: location.settings,
  });
  return { workDir, settingsRegistry };
}
