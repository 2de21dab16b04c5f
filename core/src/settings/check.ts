import { exactCounterpart } from './counterparts.js';
import type { SettingsRegistry } from './registry.js';

type CheckedState =
  | 'same'
  | 'other value'
  | 'other name'
  | 'other meaning'
  | 'not needed'
  | 'not yet'
  | 'deprecated'
  | 'not loaded'
  | 'unknown'
  | 'wrong';

/** What one written line means here. */
export interface CheckedSetting {
  /** `app.ini:12`, or the name of the environment variable. */
  readonly from: string;
  /** `[section] KEY`. */
  readonly name: string;
  readonly state: CheckedState;
  /** What holds in its place, or why; empty where the line holds as it is. */
  readonly text: string;
}

/** Every line that was written, in the order of the file, once all settings are declared. */
export function checkSettings(settingsRegistry: SettingsRegistry): CheckedSetting[] {
  return settingsRegistry.written.map(({ section, key, from }) => ({
    from,
    name: section ? `[${section}] ${key}` : key,
    ...meaningOf(settingsRegistry, section, key),
  }));
}

function meaningOf(
  settingsRegistry: SettingsRegistry,
  section: string,
  key: string,
): Pick<CheckedSetting, 'state' | 'text'> {
  const exact = exactCounterpart(section, key);
  if (exact?.kind === 'otherMeaning') return { state: 'other meaning', text: exact.meaning };
  const counterpart = settingsRegistry.counterpartOf(section, key);
  if (counterpart?.kind === 'otherName') return { state: 'other name', text: counterpart.name };
  if (counterpart?.kind === 'notNeeded') return { state: 'not needed', text: counterpart.reason };
  const replacement = settingsRegistry.replacementOf(section, key);
  if (replacement !== undefined) return { state: 'deprecated', text: `use ${replacement}` };
  if (settingsRegistry.knows(section, key)) {
    const finding = settingsRegistry.findingOn(section, key);
    if (!finding) return { state: 'same', text: '' };
    return { state: finding.isFault ? 'wrong' : 'other value', text: finding.text };
  }
  if (counterpart?.kind === 'notYet') return { state: 'not yet', text: '' };
  return counterpart
    ? { state: 'not loaded', text: 'it belongs to a plugin that is not loaded' }
    : { state: 'unknown', text: 'no loaded plugin has it, and it is not in the list of settings of Gitea' };
}
