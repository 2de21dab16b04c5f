import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingList, site, type PluginHost } from '@mortise/plugin-sdk';
import { proposeSettings } from '../services/settings-proposal.js';
import { takeSiteFiles } from '../services/site-files.js';
import { SourceSettings } from '../services/source-settings.js';
import { sourceOf } from './takeover.js';

/** `mortise takeover settings`. */
export function settingsCommand(host: PluginHost): void {
  host.command(
    {
      name: 'takeover settings',
      summary: 'Convert the app.ini of another server, save it beside ours, and copy its public files',
      options: [
        { flags: '--from <path>', description: 'Its work folder, or its app.ini', required: true },
        { flags: '--dry-run', description: 'Only report what would be written' },
      ],
    },
    { settingList, site },
    async ({ args, print }, services) => {
      const isDryRun = args.dryRun === true;
      const source = SourceSettings.open(sourceOf(args.from));
      const { text, taken, unknown, excluded } = proposeSettings(
        source.written,
        services.settingList.list(),
        source.file,
        (section, key) => services.settingList.compatible(section, key),
      );
      const file = join(services.site.workDir, 'config', 'app.ini.taken-over');
      if (!isDryRun) {
        await mkdir(join(services.site.workDir, 'config'), { recursive: true });
        // it has passwords: a file of before may be readable for others
        await rm(file, { force: true });
        await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      }
      print(`${taken} settings that differ from our defaults can be used as they are: ${file}`);
      for (const name of excluded) print(`belongs to the other server alone: ${name}`);
      for (const one of unknown) print(one);
      for (const line of await takeSiteFiles(source.folder('custom'), services.site.workDir, isDryRun)) print(line);
    },
  );
}
