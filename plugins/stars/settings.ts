import { Joi } from '@mortise/plugin-sdk';

export interface StarSettings {
  readonly DISABLE_STARS: boolean;
}

/** `[repository]`, the part about stars. */
export const starSettings = Joi.object<StarSettings, true>({
  DISABLE_STARS: Joi.boolean().default(false).description('No stars'),
});
