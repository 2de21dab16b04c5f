import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type PluginHost,
  backups,
  cache,
  database,
  events,
  jobs,
  locks,
  metrics,
  outbound,
  settingList,
  site,
  scheduleTask,
} from '@mortise/plugin-sdk';
import {
  externalContents,
  gitBackup,
  gitProcesses,
  gitReader,
  gitFolders,
  gitRemotes,
  gitStore,
  gitTakeover,
  gitWriter,
  keptCommits,
  languageColors,
  pushableRefs,
  pushHints,
  receivePoints,
  reservedRefs,
  refChecks,
  refUpdates,
  repositoryStorages,
  type RepositoryKind,
} from './api.js';
import { maintain, maintainRepository, sweepGarbage } from './jobs/maintain.js';
import { forgetChanges, forgetOldChanges } from './jobs/forget-changes.js';
import { RepositoryBackup } from './services/backup.js';
import { checkObjects } from './jobs/check.js';
import { gitCore, gitIntegrity, refGate, remotesService } from './services/service-refs.js';
import { checkRepositories } from './services/doctor.js';
import { Folders } from './services/git-folders.js';
import { RefMoves } from './services/ref-moves.js';
import { RepositoryTakeover } from './services/repository-takeover.js';
import { Integrity } from './services/integrity.js';
import { DatabaseGenerations } from './services/generations.js';
import { openGit, type GitCore } from './services/open-git.js';
import { isNetworked } from './services/ref-fingerprints.js';
import { FormerTips } from './services/former-tips.js';
import { Pruning } from './services/pruning.js';
import { RefGate } from './services/ref-gate.js';
import { removeFormer, RepositoryMove } from './services/repository-move.js';
import { StorageService } from './services/repository-storages.js';
import { Storages, type GitStorage } from './services/storages.js';
import { Writer } from './services/writer.js';
import { RemoteHosts } from './services/remote-address.js';
import { Remotes } from './services/remotes.js';
import { rootFault } from './services/repository-root.js';
import { gitSettings, remoteSettings, rootSettings, storageSettings, type StorageSetting } from './settings.js';
import { t } from './texts/index.js';

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('git', gitSettings);
  const { ROOT } = host.settings('repository', rootSettings);
  const { default: defaultWeight, ...storages } = host.settings('git.storages', storageSettings);
  return { settings, root: ROOT, defaultWeight, storages: storages as Readonly<Record<string, StorageSetting>> };
}

type Opened = ReturnType<typeof openSettings>;

export function registerRepositories(host: PluginHost, opened: Opened): void {
  const { settings, root } = opened;
  const remote = host.settings('migrations', remoteSettings);
  const checks = host.point(refChecks);
  const hints = host.point(pushHints);
  const reserved = host.point(reservedRefs);
  const pushable = host.point(pushableRefs);
  const receivers = host.point(receivePoints);
  const external = host.point(externalContents);
  host.service(gitCore, { site, backups, database, cache }, ({ site, backups, database, cache }) => {
    const former = resolve(site.workDir, settings.HOME_PATH || 'repositories');
    const folder = root ? resolve(site.workDir, root) : former;
    // the setting itself does not know of HOME_PATH
    const fault = root ? rootFault(folder, [former]) : undefined;
    if (fault !== undefined) throw new Error(`the setting [repository] ROOT ${fault}`);
    const storages = new Storages(folder, storagesIn(site.workDir, opened), opened.defaultWeight);
    const core = openGit(storages, settings, cache, host.log);
    core.store.keepsDeleted = () => backups.isRunning();
    core.store.externalContents = () => external.list();
    core.use(new FormerTips(database));
    if (isShared(core)) core.fingerprints.share(new DatabaseGenerations(database));
    return core;
  });
  const isShared = ({ store }: GitCore) =>
    settings.SHARED_STORAGE === 'auto'
      ? store.storages.list.some((storage) => isNetworked(storage.root))
      : settings.SHARED_STORAGE === 'true';
  host.service(gitProcesses, { core: gitCore }, ({ core }) => core.runner);
  host.service(gitStore, { core: gitCore }, ({ core }) => core.store);
  host.service(gitReader, { core: gitCore }, ({ core }) => core.reader);
  host.service(languageColors, { core: gitCore }, ({ core }) => ({
    color: (name) => core.languages.named(name)?.color,
    ofFile: (name) => core.languages.ofFile(name)?.name,
  }));
  host.service(refGate, { core: gitCore, database, events, jobs }, ({ core, ...services }) => {
    const maintenanceDelayMs = settings.MAINTENANCE ? settings.MAINTENANCE_DELAY * 1000 : undefined;
    const formerTips = new FormerTips(services.database);
    return new RefGate({
      ...core,
      ...services,
      formerTips,
      checks,
      hints,
      reserved,
      pushable,
      allowedRefs: settings.ALLOWED_REFS,
      receivers,
      log: host.log,
      maintenanceDelayMs,
    });
  });
  host.service(refUpdates, { gate: refGate }, ({ gate }) => gate);
  host.service(repositoryStorages, { core: gitCore, gate: refGate, locks }, ({ core, gate, locks }) => {
    const repair = (id: number, kind: RepositoryKind) => gate.repair(id, kind);
    return new StorageService(core.store, new RepositoryMove({ ...core, locks, log: host.log, repair }));
  });
  host.service(
    gitWriter,
    { core: gitCore, gate: refUpdates },
    ({ core, gate }) => new Writer(core.store, core.runner, core.reader, gate),
  );
  host.service(
    remotesService,
    { core: gitCore, gate: refUpdates, outbound, settingList },
    ({ core, gate, outbound, settingList }) => {
      const securityList = () => settingList.find('security', 'ALLOWED_HOST_LIST')?.value ?? '';
      return new Remotes({
        ...core,
        gate,
        outbound,
        hosts: new RemoteHosts(remote, securityList),
        maxBytes: settings.REMOTE_MAX_SIZE * 1024 * 1024,
        skipTlsVerify: remote.SKIP_TLS_VERIFY,
      });
    },
  );
  host.service(gitRemotes, { remotes: remotesService }, (services) => services.remotes);
  host.service(
    gitFolders,
    { core: gitCore, remotes: remotesService },
    ({ core, remotes }) => new Folders({ ...core, session: (...given) => remotes.session(...given) }),
  );
  host.service(
    gitTakeover,
    { core: gitCore },
    ({ core }) => new RepositoryTakeover({ ...core, moves: new RefMoves(core) }),
  );
  host.service(
    gitBackup,
    { core: gitCore, gate: refUpdates },
    ({ core, gate }) => new RepositoryBackup(core.store, gate as RefGate),
  );
}

const storagesIn = (workDir: string, { storages }: Opened): GitStorage[] =>
  Object.entries(storages).map(([name, { path, weight }]) => ({ name, root: resolve(workDir, path), weight }));

export function registerMaintenance(host: PluginHost, { settings }: Opened): void {
  const kept = host.point(keptCommits);
  host.job(
    maintainRepository,
    { attempts: 2, leaseMs: 600_000, concurrency: 1, timeoutMs: 6 * 3_600_000 },
    { gate: refGate },
    async (job, { gate }) => maintain(gate, { looseObjects: settings.LOOSE_OBJECTS, packs: settings.PACK_COUNT }, job),
  );
  host.job(forgetChanges, {}, { database, core: gitCore }, async (_payload, { database, core }) => {
    await forgetOldChanges(database);
    await core.store.sweep();
    await removeFormer(core.store, { readMs: settings.CLONE_TIMEOUT * 1000 });
    await sweepGarbage(core.store);
  });
  host.schedule('forget-changes', '17 3 * * *', forgetChanges, {}, { title: t.later('schedule.forget-changes') });
  host.service(gitIntegrity, { core: gitCore, database, events }, ({ core, database, events }) => {
    const formerTips = new FormerTips(database);
    const pruning = new Pruning({ ...core, formerTips, keptCommits: kept });
    return new Integrity({ ...core, database, events, pruning, log: host.log });
  });
  host.job(
    checkObjects,
    { attempts: 1, leaseMs: 600_000, concurrency: 1 },
    { integrity: gitIntegrity },
    async (_payload, { integrity }, { signal }) => integrity.run(signal),
  );
  scheduleTask(
    host,
    {
      id: 'check-objects',
      taskName: 'repo_health_check',
      title: t.later('schedule.check-objects'),
      schedule: '41 2 * * *',
      does: 'Reads the objects of repositories in turns, and compares them with their hashes',
    },
    checkObjects,
    {},
  );
  host.doctor('objects', { integrity: gitIntegrity }, ({ integrity }, options) => integrity.findings(options));
  host.healthCheck('git', { core: gitCore }, async ({ core }) => core.check());
  host.healthCheck('folder', { core: gitCore }, async ({ core }) => {
    const { storages } = core.store;
    for (const storage of storages.list) {
      await access(storage.root, constants.R_OK | constants.W_OK | constants.X_OK);
      if (!storages.isMounted(storage)) throw new Error(`the disk of the storage ${storage.name} is not mounted`);
    }
  });
  host.doctor('repositories', { gate: refGate, core: gitCore }, ({ gate, core }, { fix }) =>
    checkRepositories(gate, { fix, hooks: core.hooks }),
  );
  host.onStart({ core: gitCore, gate: refGate, integrity: gitIntegrity, metrics }, async (services) => {
    const { core, gate, integrity, metrics } = services;
    metrics.gauge('mortise_git_damaged_repositories', 'Repositories whose last check found damage', () =>
      integrity.damaged(),
    );
    metrics.gauge('mortise_git_processes', 'Processes of git that run now', () => core.runner.counts.running);
    metrics.gauge(
      'mortise_git_processes_waiting',
      'Searches that wait until others of them have ended',
      () => core.runner.counts.waiting,
    );
    await core.store.sweep();
    await gate.repair();
    const stop = gate.recovery.start(() => core.readers.closeMoved());
    return () => {
      stop();
      core.stop();
    };
  });
}
