import type { RepositorySettingsEntry } from '../contract/pages.js';
import { t } from '../texts/index.js';

/** Pages of this plugin in the menu of a repository's settings, with what can be set on them. */
export const settingsEntries: readonly RepositorySettingsEntry[] = [
  {
    key: 'general',
    label: t.later('menu.general'),
    icon: 'gear',
    href: '',
    order: 0,
    settings: [
      { label: t.later('repo.name'), field: 'field-repo_name' },
      { label: t.later('repo.description'), field: 'field-description' },
      { label: t.later('settings.website'), field: 'field-website' },
      { label: t.later('settings.topics'), field: 'field-topics' },
      { label: t.later('settings.branch'), field: 'field-default_branch' },
      { label: t.later('repo.template'), field: 'field-template' },
      { label: t.later('settings.avatar'), field: 'field-avatar', also: [t.later('settings.avatarChoose')] },
      { label: t.later('trust.model'), field: 'field-trust_model', also: [t.later('trust.title')] },
      {
        label: t.later('danger.title'),
        field: 'danger-zone',
        also: [
          t.later('danger.visibility'),
          t.later('danger.publish'),
          t.later('danger.hide'),
          t.later('danger.archive'),
          t.later('danger.detach'),
          t.later('danger.transfer'),
          t.later('danger.deleteSubmit'),
        ],
      },
    ],
  },
  {
    key: 'collaborators',
    label: t.later('menu.collaborators'),
    icon: 'people',
    href: 'collaboration',
    order: 10,
    settings: [{ label: t.later('collaborators.add'), field: 'field-collaborator' }],
  },
  {
    key: 'keys',
    label: t.later('menu.keys'),
    icon: 'key',
    href: 'keys',
    order: 30,
    settings: [{ label: t.later('keys.add'), field: 'field-title' }],
  },
];
