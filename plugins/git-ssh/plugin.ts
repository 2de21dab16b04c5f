import { database, definePlugin, fromPackage, defineService, metrics, proxyProtocol, site } from '@mortise/plugin-sdk';
import { accounts, publicKeys } from '@mortise/accounts/api';
import { gitTransfers, gitSessions } from '@mortise/git-transport/api';
import { deployKeys, repositories, repositoryAccess, sshAddress } from '@mortise/repositories/api';
import { sshAddresses, sshCommands } from './contract/git-ssh.js';
import { Addresses } from './services/addresses.js';
import { GitCommands } from './services/git-commands.js';
import { Identities } from './services/identities.js';
import { SshServer } from './services/server.js';
import { checkHostKeys } from './services/doctor.js';
import { addressSettings, sshSettings } from './settings.js';

/** Shared inside this plugin only. */
const addressBook = defineService<Addresses>('git-ssh.addressBook');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [sshAddresses, sshCommands, addressBook],

  register(host) {
    const settings = host.settings('server', sshSettings);
    const commands = host.point(sshCommands);

    const { USE_COMPAT_SSH_URI: isAlwaysUri } = host.settings('repository', addressSettings);
    host.service(addressBook, { site }, ({ site }) => new Addresses(site, settings, isAlwaysUri));
    host.service(sshAddresses, { addressBook }, ({ addressBook }) => addressBook);
    host.contribute(sshAddress, { addressBook }, ({ addressBook }) => ({
      address: (path) => addressBook.address(path),
    }));

    if (settings.DISABLE_SSH || !settings.START_SSH_SERVER) return;
    host.doctor('host keys', { site }, ({ site }, options) =>
      checkHostKeys(site.workDir, settings.SSH_SERVER_HOST_KEYS, options),
    );
    host.onStart(
      {
        database,
        accounts,
        publicKeys,
        deployKeys,
        repositories,
        access: repositoryAccess,
        gitSessions: gitSessions,
        transfers: gitTransfers,
        addresses: addressBook,
        site,
        metrics,
        proxyProtocol,
      },
      async (services) => {
        const { site, addresses, metrics } = services;
        const runs = metrics.counter('mortise_ssh_commands_total', 'Commands run over SSH', ['command']);
        const server = new SshServer({
          site,
          settings,
          addresses,
          commands,
          identities: new Identities(services),
          git: new GitCommands(services.gitSessions, services.transfers, (path) => addresses.address(path)),
          proxyProtocol: settings.SSH_SERVER_USE_PROXY_PROTOCOL ? services.proxyProtocol : undefined,
          siteName: site.name,
          log: host.log,
          count: (command) => runs.inc({ command }),
        });
        metrics.gauge('mortise_ssh_connections', 'Connections over SSH', () => server.connectionCount);
        await server.start();
        return () => server.stop();
      },
    );
  },
});
