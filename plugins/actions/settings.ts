import { defineService, Joi, listSetting, splitList } from '@mortise/plugin-sdk';

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** `90s`, `1h30m` or plain seconds → milliseconds. */
function span(fallback: string) {
  const read = (text: string | number): number | undefined => {
    if (/^\d+$/.test(String(text))) return Number(text) * 1000;
    if (!/^(\d+[smh])+$/.test(String(text))) return undefined;
    const parts = [...String(text).matchAll(/(\d+)([smh])/g)];
    return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit!]!, 0);
  };
  return Joi.any()
    .custom((value: string | number, helpers) => read(value) ?? helpers.error('any.invalid'))
    .default(read(fallback))
    .meta({ default: fallback }) as unknown as Joi.NumberSchema<number>;
}

/** A number of which 0 and less mean the default. */
const orDefault = (fallback: number) =>
  Joi.number()
    .integer()
    .custom((value: number) => (value > 0 ? value : fallback))
    .default(fallback);

const folders = (text: string): string[] => splitList(text).map((one) => one.replace(/^\.\/|\/+$/g, ''));

/** `[actions]`; lengths of time are milliseconds. */
export interface ActionsSettings {
  readonly ENABLED: boolean;
  readonly DEFAULT_ACTIONS_URL: string;
  /** Days. */
  readonly LOG_RETENTION_DAYS: number;
  readonly LOG_COMPRESSION: 'none' | 'zstd';
  /** MiB of text. */
  readonly LOG_MAX_SIZE: number;
  /** Days. */
  readonly ARTIFACT_RETENTION_DAYS: number;
  readonly ZOMBIE_TASK_TIMEOUT: number;
  readonly UNDELIVERED_TASK_TIMEOUT: number;
  readonly ENDLESS_TASK_TIMEOUT: number;
  readonly ABANDONED_JOB_TIMEOUT: number;
  readonly SKIP_WORKFLOW_STRINGS: readonly string[];
  /** Without slashes at their ends. */
  readonly WORKFLOW_DIRS: readonly string[];
  readonly SCOPED_WORKFLOW_DIRS: readonly string[];
  readonly MAX_RERUN_ATTEMPTS: number;
  readonly MAX_CONCURRENT_TASK_PICKS: number;
}

export const actionsSettingsSchema = Joi.object<ActionsSettings>({
  ENABLED: Joi.boolean().default(true).description('Run workflows'),
  DEFAULT_ACTIONS_URL: Joi.string()
    .pattern(/^(github|self|https?:\/\/.+)$/)
    .default('github')
    .description('Where actions without an address come from: github or self; another address counts as github'),
  LOG_RETENTION_DAYS: orDefault(365).description('Days that logs are kept'),
  LOG_COMPRESSION: Joi.string().valid('none', 'zstd').default('zstd').description('How ended logs are stored'),
  LOG_MAX_SIZE: orDefault(1024).description('Size of one log in MiB; what follows is not kept'),
  ARTIFACT_RETENTION_DAYS: orDefault(90).description('Days that artifacts are kept which say nothing else'),
  ZOMBIE_TASK_TIMEOUT: span('10m').description('After how long without a sign of life a task has failed'),
  UNDELIVERED_TASK_TIMEOUT: span('1m').description(
    'After how long a task of which its runner has never spoken is given to another; runners speak every 5 seconds',
  ),
  ENDLESS_TASK_TIMEOUT: span('3h').description('How long a task may run'),
  ABANDONED_JOB_TIMEOUT: span('24h').description('After how long a job is cancelled that no runner took'),
  SKIP_WORKFLOW_STRINGS: listSetting('[skip ci],[ci skip],[no ci],[skip actions],[actions skip]').description(
    'Words in the message of a commit, or the title of a pull request, that start no workflow',
  ),
  WORKFLOW_DIRS: listSetting('.mortise/workflows,.gitea/workflows,.github/workflows', folders).description(
    'Folders of workflows; the first that exists is used',
  ),
  SCOPED_WORKFLOW_DIRS: listSetting('.mortise/scoped_workflows,.gitea/scoped_workflows', folders).description(
    'The same in repositories that bring workflows for others; empty: none do',
  ),
  MAX_RERUN_ATTEMPTS: orDefault(50).description('Attempts of one run'),
  MAX_CONCURRENT_TASK_PICKS: orDefault(16).description('Runners that one process looks for a job at once'),
});

/** Throws when the folders cannot be meant so (LIM-06). */
export function checkFolders({ WORKFLOW_DIRS, SCOPED_WORKFLOW_DIRS }: ActionsSettings): void {
  if (WORKFLOW_DIRS.length === 0) throw new Error('[actions] WORKFLOW_DIRS: names no folder');
  for (const scoped of SCOPED_WORKFLOW_DIRS)
    for (const own of WORKFLOW_DIRS)
      if (`${scoped}/`.startsWith(`${own}/`) || `${own}/`.startsWith(`${scoped}/`))
        throw new Error(`[actions] SCOPED_WORKFLOW_DIRS: ${scoped} and ${own} of WORKFLOW_DIRS lie in one another`);
}

/** Where actions without an address come from is one of two places; another address counts as the first. */
export const actionsUrlProblem = ({ DEFAULT_ACTIONS_URL: url }: ActionsSettings): string | undefined =>
  url === 'github' || url === 'self'
    ? undefined
    : `[actions] DEFAULT_ACTIONS_URL: ${url} is neither "github" nor "self"; "github" is used`;

/** The settings, for plugins that have to do with actions. */
export const actionsSettings = defineService<ActionsSettings>('actions.settings');
