import { Joi, type PointReader } from '@mortise/plugin-sdk';
import type { BranchProtection, RuleOption } from '../contract/branch-protection.js';

type Values = BranchProtection['options'];

/** What other plugins add to rules. */
export class RuleOptions {
  constructor(private readonly options: PointReader<RuleOption>) {}

  list(): readonly RuleOption[] {
    return this.options.list();
  }

  /** Every option, with what was never said. */
  of(stored: Values | null): Values {
    return Object.fromEntries(
      this.list().map(({ key, default: defaultValue }) => {
        const value = stored?.[key];
        return [key, typeof value === typeof defaultValue ? value! : defaultValue];
      }),
    );
  }

  /** Fields of requests. */
  body(): Record<string, Joi.Schema> {
    return Object.fromEntries(this.list().map((one) => [one.key, schemaOf(one).allow(null)]));
  }

  /** Fields of the model. */
  fields(): Record<string, Joi.Schema> {
    return Object.fromEntries(this.list().map((one) => [one.key, schemaOf(one).required()]));
  }

  /** What was sent, over what there was; undefined: nothing of these. */
  changes(sent: Readonly<Record<string, unknown>>, before?: Values): Values | undefined {
    const given = this.list().flatMap(({ key, default: defaultValue }) => {
      const value = sent[key];
      return typeof value === typeof defaultValue ? [[key, value as boolean | number] as const] : [];
    });
    return given.length ? { ...before, ...Object.fromEntries(given) } : undefined;
  }

  /** What a form sent. */
  fromForm(form: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      this.list().map(({ key, default: defaultValue }) => {
        const text = typeof form[key] === 'string' ? form[key].trim() : '';
        return [key, typeof defaultValue === 'boolean' ? text === 'true' : text ? Number(text) : defaultValue];
      }),
    );
  }
}

function schemaOf({ default: defaultValue, min, max }: RuleOption): Joi.Schema {
  if (typeof defaultValue === 'boolean') return Joi.boolean();
  let schema = Joi.number().integer();
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return schema;
}
