import { Joi, listSetting } from '@mortise/plugin-sdk';

export interface RunnerSettings {
  readonly ENABLED: boolean;
  readonly SERVES: readonly string[];
  readonly CAPACITY: number;
  readonly LABELS: readonly string[];
  readonly NAME: string;
  readonly USER: string;
  readonly FOLDER: string;
  readonly ADDRESS: string;
  readonly TIMEOUT: number;
  readonly MAX_LOG_SIZE: number;
  readonly CONTAINERS: string;
  readonly VOLUMES: readonly string[];
}

/** `[actions.runner]`. */
export const runnerSettings = Joi.object<RunnerSettings>({
  ENABLED: Joi.boolean().default(false).description('Start a runner with the server'),
  SERVES: listSetting('').description(
    'Whose jobs the runner takes, separated by commas: names of trusted owners, or "all". Jobs run on the machine itself: read the README of the plugin first',
  ),
  CAPACITY: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .default(1)
    .description('Jobs at the same time, for each that is served'),
  LABELS: listSetting('linux,self-hosted,ubuntu-latest').description(
    'Labels of the runner, which jobs name in runs-on',
  ),
  NAME: Joi.string().allow('').max(200).default('').description('Name of the runner; empty: that of the machine'),
  USER: Joi.string()
    .allow('')
    .max(100)
    .default('')
    .description(
      'User of the machine as whom jobs run, and who has nothing else to do: all processes of the user end with a job; needs a server that runs as root',
    ),
  FOLDER: Joi.string()
    .allow('')
    .default('')
    .description('Folder in which jobs run; empty: actions-runner in the work folder'),
  ADDRESS: Joi.string()
    .allow('')
    .default('')
    .description('Address of the server for the runner and its jobs; empty: the root URL'),
  TIMEOUT: Joi.number().integer().min(1).default(180).description('Minutes that a job may take'),
  CONTAINERS: Joi.string()
    .default('auto')
    .description(
      'Program that runs containers of jobs, with the command line of docker; auto: docker or podman, whichever works, with a USER only one that is rootless or has user namespaces, as jobs could become root by another; off: none',
    ),
  VOLUMES: listSetting('').description(
    'Folders of the machine and volumes of the container engine that workflows may give to their containers, separated by commas',
  ),
  MAX_LOG_SIZE: Joi.number().integer().min(1).default(100).description('MiB that the log of a job may have'),
});
