export { compose, workspaceRoot, type ComposeOptions, type Composition } from './compose.js';
export { createHost, type Host, type HostOptions } from './host.js';
export { openHost } from './open-host.js';
export { StartError } from './plugins/index.js';
export type { SettingsOverrides } from './settings/index.js';
