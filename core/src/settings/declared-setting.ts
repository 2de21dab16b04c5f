import type Joi from 'joi';

export interface DeclaredSetting {
  readonly owner: string;
  readonly section: string;
  readonly key: string;
  readonly description: string;
  /** As it would be written in the file. */
  readonly defaultText: string;
  /** `string`, `number`, `true or false`, or the allowed values. */
  readonly type: string;
  readonly secret: boolean;
}

/** A key of a declared schema. */
export interface DeclaredKey {
  readonly owner: string;
  readonly section: string;
  readonly key: string;
  readonly schema: Joi.Schema;
}

interface JoiKey {
  type?: string;
  flags?: { default?: unknown; description?: string; only?: boolean };
  allow?: unknown[];
  metas?: Record<string, unknown>[];
}

export function describeKey({ owner, section, key, schema }: DeclaredKey): DeclaredSetting {
  const about = schema.describe() as JoiKey;
  const meta = Object.assign({}, ...(about.metas ?? [])) as { default?: unknown; secret?: boolean; type?: string };
  const value = meta.default ?? about.flags?.default ?? '';
  const allowed = (about.allow ?? []).filter((one) => one !== '' && typeof one !== 'object');
  const type =
    meta.type ??
    (about.flags?.only && allowed.length
      ? allowed.join(' | ')
      : about.type === 'boolean'
        ? 'true | false'
        : about.type === 'any'
          ? 'text'
          : about.type === 'string'
            ? 'text'
            : (about.type ?? 'text'));
  return {
    owner,
    section,
    key,
    description: about.flags?.description ?? '',
    defaultText: Array.isArray(value) ? value.join(',') : typeof value === 'object' ? '' : String(value),
    type,
    secret: meta.secret === true,
  };
}
