import type { PluginDirectory, SiteState } from '@mortise/plugin-sdk';
import type { SiteProblem, SiteProblemSource } from '../contract/admin.js';
import { t } from '../texts/index.js';
import type { Mailer } from '@mortise/mail/api';
import type { Notices } from './notices.js';

interface Deps {
  readonly plugins: PluginDirectory;
  readonly state: SiteState;
  readonly notices: Notices;
}

/** Less than this share of a disk is worth a word. */
export const lowDiskShare = 0.1;

/** What the kernel and this plugin know of: disks, plugins, jobs and notices. */
export const ownProblems = ({ plugins, state, notices }: Deps): SiteProblemSource => ({
  key: 'site',
  order: 10,
  async find() {
    const [disks, states, queues, noticed] = await Promise.all([
      state.disks(),
      plugins.states(),
      state.queues(),
      notices.list({ limit: 1, offset: 0 }),
    ]);
    const failed = states.filter(({ problem }) => problem).length;
    const faulty = states.filter(({ problem, errors }) => !problem && errors.length > 0).length;
    const failedJobs = queues.reduce((sum, queue) => sum + queue.failed, 0);
    const found: SiteProblem[] = disks
      .filter(({ free, size }) => free < size * lowDiskShare)
      .map(({ folder }) => ({ text: t.later('problem.disk', { folder }) }));
    if (failed) found.push({ text: t.later('overview.failedPlugins', { count: failed }), path: '/-/admin/plugins' });
    if (faulty) found.push({ text: t.later('overview.faulty', { count: faulty }), path: '/-/admin/plugins' });
    if (failedJobs) found.push({ text: t.later('problem.jobs', { count: failedJobs }), path: '/-/admin/notices' });
    if (noticed.total)
      found.push({ text: t.later('problem.notices', { count: noticed.total }), path: '/-/admin/notices' });
    return found;
  },
});

export const mailProblem = ({ isEnabled }: Pick<Mailer, 'isEnabled'>): SiteProblemSource => ({
  key: 'mail',
  order: 20,
  find: async () => (isEnabled ? [] : [{ text: t.later('problem.mail'), path: '/-/admin/configuration?q=mailer' }]),
});
