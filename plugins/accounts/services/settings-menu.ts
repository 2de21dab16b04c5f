import type { NavigationItem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** Pages of this plugin in the settings menu, with what can be set on them. */
export const ownMenu: readonly NavigationItem[] = [
  {
    key: 'profile',
    label: t.later('profile.title'),
    href: '/user/settings',
    icon: 'person',
    order: 10,
    settings: [
      { label: t.later('profile.fullName'), field: 'field-full_name' },
      { label: t.later('profile.bio'), field: 'field-description' },
      { label: t.later('profile.website'), field: 'field-website' },
      { label: t.later('profile.location'), field: 'field-location' },
      {
        label: t.later('profile.visibility'),
        field: 'field-visibility',
        also: [t.later('profile.publicChoice'), t.later('profile.limitedChoice'), t.later('profile.privateChoice')],
      },
      { label: t.later('profile.hideEmail'), field: 'field-hide_email' },
      { label: t.later('profile.hideActivity'), field: 'field-hide_activity' },
      { label: t.later('avatar.title'), field: 'field-avatar', also: [t.later('avatar.choose')] },
    ],
  },
  {
    key: 'account',
    label: t.later('account.title'),
    href: '/user/settings/account',
    icon: 'gear',
    order: 20,
    settings: [
      { label: t.later('password.title'), field: 'field-old_password', also: [t.later('password.change')] },
      { label: t.later('email.title'), field: 'field-email', also: [t.later('email.makePrimary')] },
      { label: t.later('delete.title'), field: 'field-delete-password' },
    ],
  },
  {
    key: 'appearance',
    label: t.later('appearance.title'),
    href: '/user/settings/appearance',
    icon: 'paintbrush',
    order: 30,
    settings: [
      {
        label: t.later('appearance.theme'),
        field: 'field-theme',
        also: [t.later('appearance.light'), t.later('appearance.dark')],
      },
      { label: t.later('appearance.language'), field: 'field-language' },
      {
        label: t.later('appearance.diff'),
        field: 'field-diff_view_style',
        also: [t.later('appearance.unified'), t.later('appearance.split')],
      },
    ],
  },
  {
    key: 'keys',
    label: t.later('keys.title'),
    href: '/user/settings/keys',
    icon: 'key',
    order: 40,
    settings: [{ label: t.later('keys.addTitle'), field: 'field-title' }],
  },
  {
    key: 'blocked',
    label: t.later('blocked.title'),
    href: '/user/settings/blocked',
    icon: 'circle-slash',
    order: 80,
  },
];
