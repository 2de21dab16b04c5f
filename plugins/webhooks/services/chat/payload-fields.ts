import type { HookPayload } from '../../contract/webhooks.js';

/** A text of a payload by its path (`issue.user.login`); empty for whatever is no text or number. */
export function textAt(payload: unknown, path: string): string {
  const value = valueAt(payload, path);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function listAt(payload: unknown, path: string): readonly unknown[] {
  const value = valueAt(payload, path);
  return Array.isArray(value) ? value : [];
}

export function valueAt(payload: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as HookPayload)[name]
          : undefined,
      payload,
    );
}

/** Of a message of several lines. */
export const firstLine = (message: string): string => (message.trimStart().split('\n', 1)[0] ?? '').trimEnd();
