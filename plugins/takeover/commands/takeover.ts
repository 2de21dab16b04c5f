import { writeFile } from 'node:fs/promises';
import { Invalid, site, type PluginHost, type ServiceRef } from '@mortise/plugin-sdk';
import type { TakeoverRunner } from '../services/takeover-runner.js';
import type { TakeoverVerifier } from '../services/takeover-verifier.js';

interface CommandServices {
  readonly runner: ServiceRef<TakeoverRunner>;
  readonly verifier: ServiceRef<TakeoverVerifier>;
}

/** Not declared as required, which it would be for the commands below `takeover` beside their own. */
const fromOption = { flags: '--from <path>', description: 'Its work folder, or its app.ini' };

/** `mortise takeover` and `mortise takeover verify`. */
export function takeoverCommands(host: PluginHost, { runner, verifier }: CommandServices): void {
  host.commandGroup({
    name: 'takeover',
    summary: 'Take over a whole Gitea, Forgejo or Gogs server',
    example: 'takeover --from /var/lib/gitea --dry-run',
  });
  host.command(
    {
      name: 'takeover',
      summary: 'Take over a whole Gitea, Forgejo or Gogs server; can be repeated while it runs',
      options: [
        fromOption,
        { flags: '--dry-run', description: 'Only report what would be taken over, what would not and why' },
        {
          flags: '--without-secrets',
          description:
            'Leave out what cannot be decrypted with the SECRET_KEY, such as second factors, instead of stopping',
        },
        {
          flags: '--same-server',
          description: 'The source is the same server as before, although its secrets have changed',
        },
      ],
    },
    { runner },
    async ({ args, print }, services) => {
      const isDryRun = args.dryRun === true;
      const report = await services.runner.run({
        from: sourceOf(args.from),
        isDryRun,
        isSameServer: args.sameServer === true,
        isWithoutSecrets: args.withoutSecrets === true,
        progress: print,
      });
      for (const line of report.lines()) print(line);
      print(isDryRun ? 'Nothing was written: this was a dry run.' : 'The pass is complete.');
    },
  );
  host.command(
    {
      name: 'takeover verify',
      summary: 'Compare another server with what has been taken over from it; ends with 1 where they differ',
      options: [
        fromOption,
        { flags: '--url <url>', description: 'Address of the other server, to compare both through their API too' },
        { flags: '--token <token>', description: 'Token of an administrator of both servers' },
        { flags: '--own-url <url>', description: 'Address of this site; default: ROOT_URL' },
        { flags: '--report <file>', description: 'Write the differences as JSON too' },
      ],
    },
    { verifier, site },
    async ({ args, print }, services) => {
      const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
      const url = text(args.url);
      const token = text(args.token);
      if ((url === undefined) !== (token === undefined)) throw Invalid('--url and --token go together.');
      const own = text(args.ownUrl) ?? services.site.rootUrl;
      const report = await services.verifier.run({
        from: sourceOf(args.from),
        progress: print,
        ...(url !== undefined &&
          token !== undefined && { api: { source: { url, token }, target: { url: own, token } } }),
      });
      for (const line of report.lines()) print(line);
      const file = text(args.report);
      if (file !== undefined) await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
      if (report.total > 0) process.exitCode = 1;
    },
  );
}

/** What `--from` names. */
export function sourceOf(from: unknown): string {
  if (typeof from !== 'string' || from === '') throw Invalid('--from names a work folder or an app.ini.');
  return from;
}
