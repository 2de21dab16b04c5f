import type { FieldOption } from '@mortise/plugin-sdk';
import { en } from '../texts/en.js';
import { t } from '../texts/index.js';

type ActionKey = Extract<keyof typeof en, `action.${string}`>;
const keys = Object.keys(en).filter((key): key is ActionKey => key.startsWith('action.'));

/** What an action is called; of plugins that this one does not know, the action itself. */
export function actionLabel(action: string): string {
  const key = `action.${action}`;
  return Object.hasOwn(en, key) ? t(key as ActionKey) : action;
}

/** All known actions, in the order of their labels. */
export const actionLabels = (): FieldOption[] =>
  keys.map((key): FieldOption => [key.slice('action.'.length), t(key)]).sort(([, a], [, b]) => a.localeCompare(b));
