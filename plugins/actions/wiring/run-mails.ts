import { database, defineService, jobs, site, type AnyRef, type PluginHost } from '@mortise/plugin-sdk';
import { accountMail, accounts } from '@mortise/accounts/api';
import { mailSettings, notifications } from '@mortise/notifications/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { runChanged } from '../contract/events.js';
import { runMailRoutes, runMailSettings } from '../pages/settings/run-mails.js';
import { isMailed, mailRun, RunMails } from '../services/runs/run-mails.js';

const runMails = defineService<RunMails>('actions.runMails');

export const runMailProvides: readonly AnyRef[] = [runMails, mailRun];

/** Mails the starter of a run when it ends, according to their notification settings. */
export function registerRunMails(host: PluginHost): void {
  host.service(
    runMails,
    { database, site, accounts, accountMail, repositories, access: repositoryAccess },
    (services) => new RunMails(services),
  );
  host.whenPresent('notifications', () => {
    host.on(runChanged, 'within', 'mail-run', { jobs, notifications }, async (event, services) => {
      const { runId, attempt, status } = event;
      if (services.notifications.sendsMail && isMailed(event))
        await services.jobs.enqueue(mailRun, { runId, attempt, status });
    });
    host.contribute(mailSettings, { mails: runMails, site }, runMailSettings);
    host.routes({ mails: runMails, site }, runMailRoutes);
  });
  host.job(mailRun, {}, { mails: runMails }, (payload, { mails }) => mails.send(payload));
}
