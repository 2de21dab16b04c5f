import {
  certificateSources,
  database,
  definePlugin,
  defineService,
  Encryption,
  fromPackage,
  jobs,
  locks,
  scheduleTask,
  site,
} from '@mortise/plugin-sdk';
import { renewCertificate } from './jobs/renew-certificate.js';
import { challengeRoutes } from './routes/challenge.js';
import { CertificateService } from './services/certificate-service.js';
import { Challenges } from './services/challenges.js';
import { checkCertificate } from './services/doctor.js';
import { acmeSettings } from './settings.js';
import { t } from './texts/index.js';

const challenges = defineService<Challenges>('acme.challenges');
const certificates = defineService<CertificateService>('acme.certificates');

/** The ports are open by then, so that the ACME server can ask. */
const firstOrderMs = 3000;

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [challenges, certificates, renewCertificate],

  register(host) {
    const settings = host.settings('server', acmeSettings);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(challenges, { database }, (services) => new Challenges(services.database));
    host.service(certificates, { challenges, database, locks, site }, (services) => {
      const encryption = new Encryption(services.site.secret('acme'));
      return new CertificateService({ ...services, encryption, settings });
    });
    host.job(
      renewCertificate,
      { attempts: 3, concurrency: 1, timeoutMs: 10 * 60_000, backoff: (attempt) => attempt * 60_000 },
      { certificates },
      (_payload, services, { log, signal }) => services.certificates.renew(log, signal),
    );
    if (!settings.ENABLE_ACME) return;
    if (!settings.ACME_ACCEPTTOS)
      throw new Error(
        '[server] ENABLE_ACME needs ACME_ACCEPTTOS = true: read the terms of service of the ACME server first',
      );

    host.contribute(certificateSources, { certificates }, (services) => services.certificates);
    host.routes({ challenges }, (services) => challengeRoutes(services.challenges));
    const task = {
      id: 'renew',
      taskName: 'renew_certificate',
      title: t.later('schedule.renew'),
      schedule: '17 5,17 * * *',
    };
    scheduleTask(host, task, renewCertificate, {});
    host.onStart({ certificates, jobs }, async (services) => {
      if (await services.certificates.current()) return;
      const runAt = Date.now() + firstOrderMs;
      await services.jobs.enqueue(renewCertificate, {}, { runAt, uniqueKey: 'acme.renew' });
    });
    host.doctor('certificate', { certificates }, (services) => checkCertificate(services.certificates));
  },
});
