import {
  database,
  formatSize,
  inEnglish,
  Invalid,
  NotFound,
  pluginDirectory,
  scheduledTasks,
  settingList,
  site,
  siteState,
  textOf,
  type PluginHost,
  type PointReader,
  type ServiceRef,
} from '@mortise/plugin-sdk';
import type { OverviewCount } from '../contract/admin.js';
import type { Notices } from '../services/notices.js';
import { textOption, listStep, listLine, wholeNumber } from './options.js';

const timeText = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? 'never' : new Date(milliseconds).toISOString();

function registerTasks(host: PluginHost): void {
  host.command(
    { name: 'admin task list', summary: 'List scheduled tasks', options: [] },
    { tasks: scheduledTasks },
    async ({ print }, { tasks }) => {
      print('Name\tSchedule\tNext\tLast\tRuns');
      for (const { name, schedule, nextAt, lastAt, runs } of await tasks.list())
        print(listLine(name, schedule, timeText(nextAt), timeText(lastAt), runs));
    },
  );
  host.command(
    {
      name: 'admin task run',
      summary: 'Run a scheduled task now; a server that runs, or the next that starts, does it',
      options: [{ flags: '--name <name>', description: 'As the list says it', required: true }],
    },
    { tasks: scheduledTasks },
    async (context, { tasks }) => {
      const name = textOption(context, 'name') ?? '';
      if (!(await tasks.run(name))) throw NotFound(`Task ${name} does not exist.`);
      context.print(`Task ${name} is queued.`);
    },
  );
}

function registerNotices(host: PluginHost, notices: ServiceRef<Notices>): void {
  host.command(
    { name: 'admin notice list', summary: 'List what went wrong in the background, the newest first', options: [] },
    { notices },
    async ({ print }, services) => {
      print('ID\tTime\tKind\tText');
      for (let offset = 0; ; offset += listStep) {
        const { items } = await services.notices.list({ limit: listStep, offset });
        for (const { id, createdAt, kind, text } of items) print(listLine(id, timeText(createdAt), kind, text));
        if (items.length < listStep) return;
      }
    },
  );
  host.command(
    {
      name: 'admin notice delete',
      summary: 'Delete notices',
      options: [
        { flags: '--id <id>', description: 'One of them' },
        { flags: '--all', description: 'All that there are' },
      ],
    },
    { notices },
    async (context, services) => {
      const id = wholeNumber(context, 'id', 1);
      if ((id === undefined) === (context.args.all !== true)) throw Invalid('Give --id or --all.');
      if (id === undefined)
        await services.notices.removeAll((await services.notices.list({ limit: 1, offset: 0 })).newest);
      else await services.notices.remove(id);
      context.print(id === undefined ? 'All notices were deleted.' : `Notice ${id} was deleted.`);
    },
  );
}

function registerConfig(host: PluginHost): void {
  host.command(
    {
      name: 'admin config',
      summary: 'Show the settings that hold and where they come from; of secrets only whether they are set',
      options: [
        { flags: '--query <words>', description: 'Words of section, key or description' },
        { flags: '--changed', description: 'Only those that were set' },
      ],
    },
    { settings: settingList },
    (context, services) => {
      const words = (textOption(context, 'query') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      context.print('Setting\tValue\tSource');
      for (const one of services.settings.list()) {
        if (context.args.changed === true && !one.isSet) continue;
        const text = `${one.section} ${one.key} ${one.owner} ${one.description}`.toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
        const value = one.isSecret ? (one.isSet ? '(set)' : '(not set)') : (one.value ?? '');
        context.print(listLine(`${one.section ? `[${one.section}] ` : ''}${one.key}`, value, one.from ?? one.source));
      }
      return Promise.resolve();
    },
  );
}

function registerStatistics(host: PluginHost, counts: PointReader<OverviewCount>): void {
  host.command(
    { name: 'admin statistics', summary: 'Show versions, numbers, queues and disks', options: [] },
    { database, plugins: pluginDirectory, site, state: siteState },
    async ({ print }, services) => {
      print(listLine('Mortise', services.site.version));
      print(listLine('Database', services.database.engine));
      print(listLine('Plugins', services.plugins.list().length));
      for (const fact of counts.list()) {
        const count = await fact.count();
        print(
          listLine(
            inEnglish(() => textOf(fact.label)),
            count,
          ),
        );
      }
      for (const queue of await services.state.queues())
        print(
          listLine(`Queue ${queue.name}`, `${queue.waiting} waiting, ${queue.running} running, ${queue.failed} failed`),
        );
      for (const disk of await services.state.disks())
        print(
          listLine(
            `Disk ${disk.folder}`,
            inEnglish(() => `${formatSize(disk.free)} of ${formatSize(disk.size)} free`),
          ),
        );
    },
  );
}

/** `mortise admin task …`, `notice …`, `config` and `statistics`: what the pages of the administration show and do. */
export function siteCommands(
  host: PluginHost,
  { notices, counts }: { readonly notices: ServiceRef<Notices>; readonly counts: PointReader<OverviewCount> },
): void {
  registerTasks(host);
  registerNotices(host, notices);
  registerConfig(host);
  registerStatistics(host, counts);
}
