import type { Site, SiteState } from '@mortise/plugin-sdk';
import type { DashboardStep } from '@mortise/accounts/api';
import type { Mailer } from '@mortise/mail/api';
import { t } from '../texts/index.js';

const configuration = (words: string) => `/-/admin/configuration?q=${words}`;

/** Others reach the site by this address; that of this machine is what nobody has chosen. */
export const addressStep = ({ rootUrl }: Pick<Site, 'rootUrl'>): DashboardStep => ({
  key: 'address',
  list: 'site',
  order: 10,
  label: t.later('step.address'),
  path: configuration('ROOT_URL'),
  isDone: async () => !/^(?:localhost|127\..*|\[::1\])$/.test(new URL(rootUrl).hostname),
});

export const mailStep = ({ isEnabled }: Pick<Mailer, 'isEnabled'>): DashboardStep => ({
  key: 'mail',
  list: 'site',
  order: 20,
  label: t.later('step.mail'),
  path: configuration('mailer'),
  isDone: async () => isEnabled,
});

export const backupStep = (state: Pick<SiteState, 'lastBackupAt'>): DashboardStep => ({
  key: 'backup',
  list: 'site',
  order: 40,
  label: t.later('step.backup'),
  path: '/-/admin',
  isDone: async () => (await state.lastBackupAt()) !== undefined,
});
