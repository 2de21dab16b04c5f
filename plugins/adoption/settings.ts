import { Joi } from '@mortise/plugin-sdk';

export interface AdoptionSettings {
  readonly ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES: boolean;
  readonly ALLOW_DELETION_OF_UNADOPTED_REPOSITORIES: boolean;
  readonly ADOPTION_PATH: string;
}

/** `[repository]`, the part about folders that are to become repositories. */
export const adoptionSettings = Joi.object<AdoptionSettings, true>({
  ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES: Joi.boolean()
    .default(false)
    .description('Owners too may adopt folders that lie ready under their name; administrators always may'),
  ALLOW_DELETION_OF_UNADOPTED_REPOSITORIES: Joi.boolean()
    .default(false)
    .description('Owners too may delete such folders'),
  ADOPTION_PATH: Joi.string()
    .default('adopt')
    .description('Folder for what is to be adopted, as <owner>/<name>.git; relative to the work folder'),
});
