import { Joi } from '@mortise/plugin-sdk';

/** `[migrations]`; which hosts may be used is said there too, for `git`. */
export interface MigrationSettings {
  readonly MAX_ATTEMPTS: number;
  readonly RETRY_BACKOFF: number;
  readonly MAP_AUTHORS: 'none' | 'email' | 'name';
  readonly MAX_HOURS: number;
}

export const migrationSettings = Joi.object<MigrationSettings>({
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
    .description('Seconds between these attempts, twice as many after each.'),
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
    .description('Hours after which an import that has not ended fails.'),
});

/** `[repository]` */
export interface MigrationSwitch {
  readonly DISABLE_MIGRATIONS: boolean;
}

export const migrationSwitch = Joi.object<MigrationSwitch>({
  DISABLE_MIGRATIONS: Joi.boolean().default(false).description('Nobody can import repositories.'),
});
