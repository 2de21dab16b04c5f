import { Joi } from '@mortise/plugin-sdk';

/** Key of `[repository]` that belongs to HTTP alone. */
interface GitHttpSettings {
  readonly DISABLE_HTTP_GIT: boolean;
}

export const gitHttpSettings = Joi.object<GitHttpSettings, true>({
  DISABLE_HTTP_GIT: Joi.boolean().default(false).description('No clone, fetch or push over HTTP.'),
});
