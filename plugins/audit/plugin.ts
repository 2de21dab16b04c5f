import {
  actAudited,
  database,
  defineService,
  definePlugin,
  events,
  fromPackage,
  pluginDirectory,
  settingList,
  site,
} from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { organizationPages, organizationSettingsMenu } from '@mortise/organizations/api';
import { repositories, repositoryPages, repositorySettingsMenu } from '@mortise/repositories/api';
import { organizationPageLevel, ownPageLevel, repositoryPageLevel, sitePageLevel } from './pages/levels.js';
import { logPages } from './pages/log-pages.js';
import { organizationLevel, ownLevel, repositoryLevel, siteLevel } from './routes/levels.js';
import { logRoutes } from './routes/logs.js';
import { AuditLog } from './services/audit-log.js';
import { Finder } from './services/finder.js';
import { Recorder } from './services/recorder.js';
import { prune, pruneEntries } from './services/retention.js';
import { SiteChanges } from './services/site-changes.js';
import { auditSettings } from './settings.js';
import { t } from './texts/index.js';

const auditLog = defineService<AuditLog>('audit.log');
const recorder = defineService<Recorder>('audit.recorder');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [auditLog, recorder, pruneEntries],

  register(host) {
    const settings = host.settings('audit', auditSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(recorder, { accounts, database, repositories }, (services) => new Recorder(services));
    host.service(
      auditLog,
      { database },
      (services) => new AuditLog(new Finder(services.database), settings.MAX_EXPORT),
    );
    host.on(actAudited, 'within', 'record', { recorder }, (act, services) => services.recorder.record(act));
    host.onStart({ database, events, plugins: pluginDirectory, settings: settingList }, async (services) => {
      await new SiteChanges(services).record().catch((error: unknown) => {
        host.log.warn('could not audit what changed since the last start', { event: 'audit.start', error });
      });
    });
    host.job(pruneEntries, {}, { database }, (_payload, services, { signal }) =>
      prune(services.database, settings.RETENTION_DAYS, signal),
    );
    host.schedule(
      'prune',
      '41 2 * * *',
      pruneEntries,
      {},
      { taskName: 'prune_audit_log', title: t.later('schedule.prune') },
    );

    const entry = { key: 'audit-log', label: t.later('log.title'), icon: 'log', order: 95, href: 'audit-log' };
    host.contribute(adminMenu, { ...entry, key: 'audit', href: '/-/admin/audit' });
    host.contribute(settingsMenu, {
      ...entry,
      key: 'security-log',
      label: t.later('log.ownTitle'),
      href: '/user/settings/security-log',
    });
    host.contribute(repositorySettingsMenu, entry);
    host.routes({ auditLog, adminPage, settingsPage, repositoryPages, site }, (services) => [
      ...[siteLevel, ownLevel, repositoryLevel].flatMap((level) => logRoutes(services.auditLog, level)),
      ...[
        sitePageLevel(services.adminPage, services.site),
        ownPageLevel(services.settingsPage, services.site),
        repositoryPageLevel(services.repositoryPages, services.site),
      ].flatMap((level) => logPages(services.auditLog, level)),
    ]);
    host.whenPresent('organizations', () => {
      host.contribute(organizationSettingsMenu, entry);
      host.routes({ auditLog, organizationPages, site }, (services) => [
        ...logRoutes(services.auditLog, organizationLevel),
        ...logPages(services.auditLog, organizationPageLevel(services.organizationPages, services.site)),
      ]);
    });
  },
});
