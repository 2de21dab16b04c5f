import Joi from 'joi';

/** Keys of `[repository]` that decide about git over HTTP. */
export interface GitHttpSettings {
  readonly DISABLE_HTTP_GIT: boolean;
  readonly ENABLE_PUSH_CREATE_USER: boolean;
  readonly ENABLE_PUSH_CREATE_ORG: boolean;
  readonly DEFAULT_PUSH_CREATE_PRIVATE: boolean;
  readonly MAX_PUSH_SIZE: number;
  readonly PACK_CACHE_SIZE: number;
}

export const gitHttpSettings = Joi.object<GitHttpSettings, true>({
  DISABLE_HTTP_GIT: Joi.boolean().default(false).description('No clone, fetch or push over HTTP.'),
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
