import { Joi } from '@mortise/plugin-sdk';

/** `[migrations]`; which hosts may be used is said there too, for `git`. */
export interface ImportSettings {
  readonly MAX_ATTEMPTS: number;
  readonly RETRY_BACKOFF: number;
  readonly MAP_AUTHORS: 'none' | 'email' | 'name';
  readonly MAX_HOURS: number;
  readonly MAX_PENDING: number;
}

export const importSettings = Joi.object<ImportSettings>({
  MAX_ATTEMPTS: Joi.number()
    .integer()
    .min(1)
    .max(20)
    .default(3)
    .description('Maximum attempts for a request to the source of an import that fails with a transient error.'),
  RETRY_BACKOFF: Joi.number()
    .integer()
    .min(0)
    .max(600)
    .default(3)
    .description('Seconds between these attempts, twice as many after each, at most 60.'),
  MAP_AUTHORS: Joi.string()
    .valid('none', 'email', 'name')
    .default('none')
    .description(
      'Whose account imported texts belong to: `email`: the one with that confirmed address; `name`: that of the same name too; `none`: the importer, with the name of the original author.',
    ),
  MAX_HOURS: Joi.number()
    .integer()
    .min(1)
    .default(72)
    .description('Hours after which an import that has not ended fails; time in which it waits does not count.'),
  MAX_PENDING: Joi.number()
    .integer()
    .min(1)
    .default(500)
    .description('Imports of one account that may wait or run at the same time; one of them runs, the others follow.'),
});

/** `[repository]` */
interface ImportSwitch {
  readonly DISABLE_MIGRATIONS: boolean;
}

export const importSwitch = Joi.object<ImportSwitch>({
  DISABLE_MIGRATIONS: Joi.boolean().default(false).description('Nobody can import repositories.'),
});
