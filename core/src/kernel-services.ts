import {
  broker,
  cache,
  database,
  events,
  jobs,
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
  broker,
  cache,
  database,
  events,
  jobs,
  locks,
  metrics,
  outbound,
  pluginDirectory,
  scheduledTasks,
  site,
  storage,
].map((ref) => ref.id);
