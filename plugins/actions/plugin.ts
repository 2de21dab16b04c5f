import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { actionsSettings } from './api.js';
import { deploymentProvides, registerDeployments } from './wiring/deployments.js';
import { logProvides, registerLogs } from './wiring/logs.js';
import { registerRunMails, runMailProvides } from './wiring/run-mails.js';
import { registerRunners, runnerProvides } from './wiring/runners.js';
import { registerRunPages, runPageProvides } from './wiring/run-pages.js';
import { registerRuns, runProvides } from './wiring/runs.js';
import { registerSettingsPages, settingsPageProvides } from './wiring/settings-pages.js';
import { registerTakeover } from './wiring/takeover.js';
import { actionsSettingsSchema, actionsUrlProblem, checkFolders } from './settings.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    actionsSettings,
    ...runProvides,
    ...runnerProvides,
    ...logProvides,
    ...settingsPageProvides,
    ...runPageProvides,
    ...runMailProvides,
    ...deploymentProvides,
  ],
  areas: ['actions-log'],

  register(host) {
    const settings = host.settings('actions', actionsSettingsSchema);
    checkFolders(settings);
    const problem = actionsUrlProblem(settings);
    if (problem) host.log.error(problem, { event: 'actions.url' });
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(actionsSettings, {}, () => settings);
    if (!settings.ENABLED) return;
    registerRuns(host, settings, new URL('./worker/main.js', import.meta.url));
    registerRunners(host, settings);
    registerLogs(host, settings);
    registerSettingsPages(host);
    registerRunPages(host);
    registerRunMails(host);
    registerDeployments(host);
    registerTakeover(host, settings);
    // here and not where the pages are: at the start the plugin is one file, in this folder
    host.island('actions', new URL('./pages/islands/actions.js', import.meta.url));
    host.island('actions-style', new URL('./pages/actions.css', import.meta.url));
  },
});
