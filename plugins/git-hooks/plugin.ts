import { database, definePlugin, fromPackage, defineService, events, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { templateContents } from '@mortise/forks/api';
import { gitProcesses, gitStore, refChecks, refsUpdated } from '@mortise/git/api';
import { repositoryPages, repositorySettingsMenu } from '@mortise/repositories/api';
import { gitHookPageRoutes } from './pages/git-hooks.js';
import { gitHookRoutes } from './routes/git-hooks.js';
import { GitHookService } from './services/git-hooks.js';
import { hookSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of a contract. */
const hooks = defineService<GitHookService>('git-hooks.hooks');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [hooks],

  register(host) {
    const { DISABLE_GIT_HOOKS: disabled } = host.settings('security', hookSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      hooks,
      { database, events, accounts, store: gitStore, processes: gitProcesses },
      (services) => new GitHookService({ ...services, disabled }),
    );
    host.routes({ hooks }, gitHookRoutes);
    host.routes({ hooks, pages: repositoryPages, site }, gitHookPageRoutes);
    if (!disabled)
      host.contribute(repositorySettingsMenu, {
        key: 'git-hooks',
        label: t.later('hooks.title'),
        icon: 'terminal',
        href: 'git-hooks',
        order: 45,
      });
    host.contribute(refChecks, { hooks }, (services) => ({
      key: 'git-hooks',
      // After every check that costs nothing.
      order: 900,
      check: (change) => services.hooks.check(change),
    }));
    host.on(
      refsUpdated,
      'after',
      'post-receive',
      { hooks },
      ({ repositoryId, kind, updates, pusherName }, services) =>
        services.hooks.after(repositoryId, kind, updates, pusherName),
      { formerly: ['repositories/git-hooks'] },
    );
    host.whenPresent('forks', () =>
      host.contribute(templateContents, { hooks }, (services) => ({
        key: 'git_hooks' as const,
        label: t.later('hooks.title'),
        order: 70,
        // They run programs: left out for who may not edit them.
        offered: (actor) => services.hooks.allows(actor),
        copy: ({ templateId, repositoryId }) => services.hooks.copy(templateId, repositoryId),
      })),
    );
  },
});
