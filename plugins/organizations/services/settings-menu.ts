import type { OrganizationSettingsEntry } from '../contract/pages.js';
import { t } from '../texts/index.js';

/** Pages of this plugin in the settings menu of an organization. */
export const settingsEntries: readonly OrganizationSettingsEntry[] = [
  { key: 'profile', label: t.later('settings.profile'), icon: 'organization', order: 10, href: '' },
  { key: 'blocked', label: t.later('blocked.title'), icon: 'circle-slash', order: 80, href: 'blocked_users' },
  { key: 'delete', label: t.later('delete.title'), icon: 'trash', order: 90, href: 'delete' },
];
