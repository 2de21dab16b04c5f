import { Joi, pageSizeSetting } from '@mortise/plugin-sdk';
import type { Visibility } from '@mortise/accounts/api';

export interface ServiceSettings {
  DEFAULT_ORG_VISIBILITY: Visibility;
  DEFAULT_ORG_MEMBER_VISIBLE: boolean;
}
export const serviceSettings = Joi.object<ServiceSettings>({
  DEFAULT_ORG_VISIBILITY: Joi.string()
    .valid('public', 'limited', 'private')
    .default('public')
    .description('Who sees a new organization: everybody, users who are signed in, or its members.'),
  DEFAULT_ORG_MEMBER_VISIBLE: Joi.boolean().default(false).description('New memberships are shown to everybody.'),
});

export interface CreationSettings {
  DISABLE_REGULAR_ORG_CREATION: boolean;
}
export const creationSettings = Joi.object<CreationSettings>({
  DISABLE_REGULAR_ORG_CREATION: Joi.boolean()
    .default(false)
    .description('Only administrators of the site create organizations.'),
});

export interface ExploreSettings {
  DISABLE_ORGANIZATIONS_PAGE: boolean;
}
export const exploreSettings = Joi.object<ExploreSettings>({
  DISABLE_ORGANIZATIONS_PAGE: Joi.boolean()
    .default(false)
    .description('There is no list of organizations below /explore.'),
});

interface ListSettings {
  readonly ORG_PAGING_NUM: number;
}

/** `[ui.user]` */
export const userListSettings = Joi.object<ListSettings>({
  ORG_PAGING_NUM: pageSizeSetting(30).description('Organizations that a profile shows; compatible servers have 15.'),
});

/** `[ui.admin]` */
export const adminListSettings = Joi.object<ListSettings>({
  ORG_PAGING_NUM: pageSizeSetting(50).description('Organizations on one page of the administration.'),
});
