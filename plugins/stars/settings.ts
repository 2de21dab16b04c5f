import { Joi } from '@mortise/plugin-sdk';

export interface StarSettings {
  readonly DISABLE_STARS: boolean;
}

/** `[repository]`, the part about stars. */
export const starSettings = Joi.object<StarSettings, true>({
  DISABLE_STARS: Joi.boolean().default(false).description('No stars'),
});

export interface WatchSettings {
  readonly AUTO_WATCH_NEW_REPOS: boolean;
  readonly AUTO_WATCH_ON_CHANGES: boolean;
}

/** `[service]`, the part about watches that begin by themselves. */
export const watchSettings = Joi.object<WatchSettings, true>({
  AUTO_WATCH_NEW_REPOS: Joi.boolean().default(true).description('Who makes a repository watches it.'),
  AUTO_WATCH_ON_CHANGES: Joi.boolean()
    .default(false)
    .description('Who pushes to a repository for the first time watches it, unless they have stopped watching it.'),
});
