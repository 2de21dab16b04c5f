import { Joi } from '@mortise/plugin-sdk';

/** Keys of `[repository]` that decide about git over any transport. */
export interface TransportSettings {
  readonly ENABLE_PUSH_CREATE_USER: boolean;
  readonly ENABLE_PUSH_CREATE_ORG: boolean;
  readonly DEFAULT_PUSH_CREATE_PRIVATE: boolean;
  readonly MAX_PUSH_SIZE: number;
  readonly PACK_CACHE_SIZE: number;
}

export const transportSettings = Joi.object<TransportSettings, true>({
  ENABLE_PUSH_CREATE_USER: Joi.boolean()
    .default(false)
    .description('A push to a repository of the own account that is not there makes it.'),
  ENABLE_PUSH_CREATE_ORG: Joi.boolean().default(false).description('The same for organizations.'),
  DEFAULT_PUSH_CREATE_PRIVATE: Joi.boolean()
    .default(true)
    .description('Repositories made by a push are private, unless the push option repo.private says otherwise.'),
  PACK_CACHE_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(1024)
    .description('Megabytes of packs kept for identical clones; 0: none.'),
  MAX_PUSH_SIZE: Joi.number().integer().min(0).default(0).description('Bytes that one push may send; 0: no limit.'),
});
