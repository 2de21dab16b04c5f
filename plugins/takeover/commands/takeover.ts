import { Invalid, type PluginHost, type ServiceRef } from '@mortise/plugin-sdk';
import type { TakeoverRunner } from '../services/takeover-runner.js';

/** `mortise takeover`. */
export function takeoverCommands(host: PluginHost, runner: ServiceRef<TakeoverRunner>): void {
  host.command(
    {
      name: 'takeover',
      summary: 'Take over a whole server of the compatible kind; may be repeated while that one runs',
      options: [
        { flags: '--from <path>', description: 'Its work folder, or its app.ini', required: true },
        { flags: '--dry-run', description: 'Only say what would come, and what would not and why' },
      ],
    },
    { runner },
    async ({ args, print }, services) => {
      if (typeof args.from !== 'string' || args.from === '') throw Invalid('--from names a work folder or an app.ini.');
      const isDryRun = args.dryRun === true || args['dry-run'] === true || args.dry_run === true;
      const report = await services.runner.run({
        from: args.from,
        isDryRun,
        progress: print,
      });
      for (const line of report.lines()) print(line);
      print(isDryRun ? 'Nothing was written: this was a dry run.' : 'The pass is complete.');
    },
  );
}
