import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import {
  externalContents,
  gitBackup,
  gitProcesses,
  gitReader,
  gitFolders,
  gitRemotes,
  gitStore,
  gitTakeover,
  gitWriter,
  keptCommits,
  languageColors,
  pushableRefs,
  pushHints,
  receivePoints,
  reservedRefs,
  refChecks,
  refsUpdated,
  repositoryDamaged,
  repositoryStorages,
  refUpdates,
} from './api.js';
import { maintainRepository } from './jobs/maintain.js';
import { forgetChanges } from './jobs/forget-changes.js';
import { checkObjects } from './jobs/check.js';
import { gitCore, gitIntegrity, refGate, remotesService } from './services/service-refs.js';
import { openSettings, registerRepositories, registerMaintenance } from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    gitStore,
    gitReader,
    languageColors,
    gitWriter,
    refUpdates,
    gitProcesses,
    gitRemotes,
    gitFolders,
    gitTakeover,
    remotesService,
    gitBackup,
    refsUpdated,
    repositoryDamaged,
    repositoryStorages,
    refChecks,
    pushHints,
    reservedRefs,
    pushableRefs,
    receivePoints,
    keptCommits,
    externalContents,
    gitCore,
    refGate,
    gitIntegrity,
    checkObjects,
    maintainRepository,
    forgetChanges,
  ],

  register(host) {
    const opened = openSettings(host);
    registerRepositories(host, opened);
    registerMaintenance(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
  },
});
