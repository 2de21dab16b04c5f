import {
  database,
  defineJob,
  definePlugin,
  defineService,
  failedJobs,
  pluginDirectory,
  scheduledTasks,
  settingList,
  site,
  siteState,
} from '@mortise/plugin-sdk';
import {
  accountMail,
  accounts,
  emails,
  loginSourceKinds,
  loginSources,
  profileDetails,
  publicKeys,
  showKey,
} from '@mortise/accounts/api';
import { deliverMail, mailer, mailUndeliverable } from '@mortise/mail/api';
import { adminFacts, adminMenu, adminPage, adminUserSections, siteNotices } from './api.js';
import { badgeCommands } from './commands/badges.js';
import { editUserCommands } from './commands/edit-users.js';
import { loginSourceCommands } from './commands/login-sources.js';
import { siteCommands } from './commands/site.js';
import { userCommands } from './commands/users.js';
import { badgeList } from './pages/badges.js';
import { makeAdminPage } from './pages/layout.js';
import { badgeRoutes } from './routes/badges.js';
import { configurationRoutes } from './routes/configuration.js';
import { loginSourcePages } from './routes/login-sources.js';
import { mailRoutes } from './routes/mail.js';
import { noticeRoutes } from './routes/notices.js';
import { overviewRoutes } from './routes/overview.js';
import { searchRoutes } from './routes/search.js';
import { emailPages } from './routes/email-pages.js';
import { emailAndKeyRoutes } from './routes/emails-and-keys.js';
import { adminPages } from './routes/pages.js';
import { taskRoutes } from './routes/tasks.js';
import { userRoutes } from './routes/users.js';
import { Badges } from './services/badges.js';
import { Notices } from './services/notices.js';
import { ageOf, noticeSettings } from './settings.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
const badges = defineService<Badges>('admin.badges');
const notices = defineService<Notices>('admin.ownNotices');
const trimNotices = defineJob<Record<string, never>>('admin.trimNotices');

export default definePlugin({
  name: 'admin',
  version: '1.0.0',
  description: 'Site administration',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  optional: { mail: '^1.0.0' },
  provides: [adminFacts, adminMenu, adminPage, adminUserSections, siteNotices, badges, notices, trimNotices],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    const menu = host.point(adminMenu);
    host.service(adminPage, { site }, (services) => makeAdminPage(menu, services.site));
    host.routes({ adminPage, site }, searchRoutes(menu));
    const facts = host.point(adminFacts);
    host.contribute(adminMenu, {
      key: 'overview',
      label: t.later('overview.title'),
      href: '/-/admin',
      icon: 'pulse',
      order: 0,
      settings: [
        { label: t.later('overview.health') },
        { label: t.later('disks.title') },
        { label: t.later('queues.title') },
      ],
    });
    host.contribute(adminMenu, {
      key: 'plugins',
      label: t.later('plugins.title'),
      href: '/-/admin/plugins',
      icon: 'plug',
      order: 80,
    });
    host.contribute(adminMenu, {
      key: 'configuration',
      label: t.later('configuration.title'),
      href: '/-/admin/configuration',
      icon: 'sliders',
      order: 85,
    });
    host.routes({ adminPage, settings: settingList, site }, configurationRoutes);
    host.routes({ adminPage, database, plugins: pluginDirectory, site, state: siteState }, (services) =>
      overviewRoutes({ ...services, facts }),
    );
    host.contribute(adminFacts, { accounts }, (services) => ({
      key: 'users',
      label: t.later('users.title'),
      href: '/-/admin/users',
      order: 10,
      count: () => services.accounts.count({ kind: 'user' }),
    }));
    host.contribute(adminMenu, {
      key: 'users',
      label: t.later('users.title'),
      href: '/-/admin/users',
      icon: 'people',
      order: 10,
      settings: [{ label: t.later('users.new') }],
    });
    host.routes({ accounts, accountMail, loginSources, site }, userRoutes);
    host.routes({ accounts, emails, publicKeys, showKey }, emailAndKeyRoutes);
    host.contribute(adminMenu, {
      key: 'emails',
      label: t.later('emails.title'),
      href: '/-/admin/emails',
      icon: 'mail',
      order: 12,
    });
    host.routes({ accounts, adminPage, emails, site }, emailPages);
    const sections = host.point(adminUserSections);
    host.routes({ accounts, accountMail, adminPage, database, loginSources, site }, (services) =>
      adminPages({ ...services, sections }),
    );
    const kinds = host.point(loginSourceKinds);
    host.contribute(adminMenu, {
      key: 'auths',
      label: t.later('auths.title'),
      href: '/-/admin/auths',
      icon: 'shield-lock',
      order: 20,
    });
    host.routes({ adminPage, loginSources, site }, (services) => loginSourcePages({ ...services, kinds }));
    host.contribute(adminMenu, {
      key: 'tasks',
      label: t.later('tasks.title'),
      href: '/-/admin/tasks',
      icon: 'clock',
      order: 90,
    });
    host.routes({ tasks: scheduledTasks, adminPage, site }, taskRoutes);
    const keeping = host.settings('cron.delete_old_system_notices', noticeSettings);
    host.service(notices, { database }, (services) => new Notices(services.database));
    host.service(siteNotices, { notices }, (services) => services.notices);
    host.contribute(adminMenu, {
      key: 'notices',
      label: t.later('notices.title'),
      href: '/-/admin/notices',
      icon: 'bell',
      order: 95,
    });
    host.routes({ adminPage, notices, site }, noticeRoutes);
    host.contribute(failedJobs, { notices }, (services) => ({
      key: 'admin',
      // of mails the event tells more
      failed: async ({ plugin, job, reason }) =>
        job === deliverMail.id
          ? undefined
          : services.notices.add('job', `The job ${job} of ${plugin} failed: ${reason}`),
    }));
    host.job(trimNotices, {}, { notices }, (_payload, services) =>
      services.notices.trim(keeping.ENABLED ? Date.now() - ageOf(keeping.OLDER_THAN) : 0),
    );
    host.schedule('notices', '@every 168h', trimNotices, {}, { taskName: 'delete_old_system_notices' });
    host.whenPresent('mail', () => {
      host.contribute(adminMenu, { mailer }, (services) => ({
        key: 'mail',
        label: t.later('mail.title'),
        href: '/-/admin/mail',
        icon: 'mail',
        order: 87,
        visible: () => services.mailer.isEnabled,
      }));
      host.routes({ accounts, adminPage, mailer, site }, mailRoutes);
      host.on(mailUndeliverable, 'within', 'mail-notice', { notices }, ({ to, subject, reason }, services) =>
        services.notices.add('mail', `A mail to ${to} could not be delivered: ${subject}\n${reason}`),
      );
    });
    host.service(badges, { database }, (services) => new Badges(services.database));
    host.routes({ badges }, badgeRoutes);
    host.contribute(profileDetails, { badges }, (services) => ({
      key: 'badges',
      render: async ({ account }) => badgeList((await services.badges.ofUser(account.id)).items),
    }));
    userCommands(host);
    editUserCommands(host);
    siteCommands(host, { notices, facts });
    badgeCommands(host, badges);
    loginSourceCommands(host);
  },
});
