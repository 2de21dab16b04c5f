export { compose, workspaceRoot, type ComposeOptions, type Composition } from './compose.js';
export { createHost, type Host, type HostOptions } from './host.js';
export { openHost } from './open-host.js';
export { PluginError, StartError, type StartProblem } from './plugins/index.js';
export type { NamedFinding } from './doctor.js';
export type { SettingsOverrides } from './settings/index.js';
