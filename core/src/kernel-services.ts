import {
  backups,
  broker,
  cache,
  database,
  events,
  jobs,
  languages,
  locks,
  metrics,
  outbound,
  pluginDirectory,
  scheduledTasks,
  site,
  storage,
} from '@mortise/plugin-sdk';

/** Services that the kernel itself provides, to every plugin. */
export const kernelServices = [
  backups,
  broker,
  cache,
  database,
  events,
  jobs,
  languages,
  locks,
  metrics,
  outbound,
  pluginDirectory,
  scheduledTasks,
  site,
  storage,
].map((ref) => ref.id);
