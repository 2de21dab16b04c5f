import { Joi } from '@mortise/plugin-sdk';

/** What a source is set to; the names of the compatible service's, and the realms. */
export interface SourceSettings {
  /** Separated by commas: tickets of others, which theirs may trust, are nobody's. */
  readonly realms: string;
  readonly autoCreateUsers: boolean;
  readonly autoActivateUsers: boolean;
  readonly stripDomainNames: boolean;
  /** In names of accounts, between name and realm. */
  readonly separatorReplacement: string;
  /** Of new accounts; empty: the visitor's. */
  readonly defaultLanguage: string;
}

export const sourceSchema = Joi.object<SourceSettings>({
  realms: Joi.string()
    .trim()
    .max(1024)
    .pattern(/^[\w.-]+(?:\s*,\s*[\w.-]+)*$/)
    .required(),
  autoCreateUsers: Joi.boolean().default(true),
  autoActivateUsers: Joi.boolean().default(true),
  stripDomainNames: Joi.boolean().default(true),
  separatorReplacement: Joi.string().trim().valid('_', '-', '.').default('_'),
  defaultLanguage: Joi.string()
    .allow('')
    .trim()
    .pattern(/^[A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/)
    .default(''),
});

export const realmsOf = ({ realms }: SourceSettings): readonly string[] => realms.split(',').map((one) => one.trim());
