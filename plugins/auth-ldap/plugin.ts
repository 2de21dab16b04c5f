import { definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { accountPictures, loginSourceKinds, publicKeys } from '@mortise/accounts/api';
import { groupTeams } from '@mortise/organizations/api';
import { sourceCommands } from './commands/sources.js';
import { Directory } from './services/directory.js';
import { bindDnKind, simpleKind } from './services/kinds.js';

const directory = defineService<Directory>('auth-ldap.directory');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [directory],

  register(host) {
    host.service(directory, {}, () => new Directory(host.log));
    let hasTeams = false;
    host.whenPresent('organizations', () => (hasTeams = true));
    const deps = { directory, publicKeys, pictures: accountPictures } as const;
    const { log } = host;
    for (const kind of [bindDnKind, simpleKind])
      if (hasTeams)
        host.contribute(loginSourceKinds, { ...deps, groupTeams }, (services) => kind({ ...services, log }));
      else host.contribute(loginSourceKinds, deps, (services) => kind({ ...services, log }));
    sourceCommands(host);
  },
});
