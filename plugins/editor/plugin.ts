import { definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { fileActions, fileChanges } from '@mortise/files/api';
import { branchRules } from '@mortise/refs/api';
import { commitActions } from '@mortise/history/api';
import { gitReader, gitWriter } from '@mortise/git/api';
import { markup } from '@mortise/markup/api';
import { branchAccess, repositoryPages, repositoryQuota } from '@mortise/repositories/api';
import { actionsOf } from './pages/actions.js';
import { pickActions } from './pages/commit-actions.js';
import { Frame } from './pages/frame.js';
import { editRoutes, type EditServices } from './pages/edit.js';
import { fileRoutes } from './pages/files.js';
import { pickRoutes } from './pages/pick.js';
import { EditTargets } from './services/target.js';
import { uploadSettings } from './settings.js';

/** Everything of this plugin, built once; not part of the contract. */
const editServices = defineService<EditServices>('editor.services');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [editServices],

  register(host) {
    const settings = host.settings('repository.upload', uploadSettings);
    const rules = host.point(branchRules);
    const needs = { gitReader, gitWriter, fileChanges, markup, repositoryPages, site, branchAccess } as const;
    host.service(editServices, needs, (services) => ({
      targets: new EditTargets(services.gitReader, rules, services.branchAccess),
      frame: new Frame(services.site, services.repositoryPages),
      changes: services.fileChanges,
      writer: services.gitWriter,
      markup: services.markup,
    }));
    host.routes({ editServices }, (services) => editRoutes(services.editServices));
    host.routes({ editServices }, (services) => pickRoutes(services.editServices));
    host.contribute(commitActions, {}, () => pickActions);
    host.routes({ editServices, repositoryQuota }, (services) =>
      fileRoutes({ ...services.editServices, repositoryQuota: services.repositoryQuota, settings }),
    );
    host.contribute(fileActions, { site, gitReader, branchAccess }, (services) => ({
      key: 'editor',
      order: 50,
      render: (file) => actionsOf(file, services, settings.ENABLED),
    }));
    host.island('editor', new URL('./pages/island.js', import.meta.url));
    host.island('editor-style', new URL('./pages/editor.css', import.meta.url));
  },
});
