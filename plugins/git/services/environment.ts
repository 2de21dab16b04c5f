/** What every git process is told: a clean environment, fixed configuration, nothing of whoever runs the server. */

/** Faults of old tools that harm nobody and that real histories have; checks of objects pass over them. */
export const toleratedFsckFaults = [
  'badDate',
  'badDateOverflow',
  'badEmail',
  'badName',
  'badTimezone',
  'missingEmail',
  'missingNameBeforeEmail',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'multipleAuthors',
  'nulInCommit',
  'zeroPaddedDate',
  'zeroPaddedFilemode',
];

/** Settings of every git process; they travel in the environment, so that git's own children have them too. */
const configuration: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  // with version 2 a commit whose date lies beyond all numbers sends the writer of the graph round for ever
  ['commitGraph.generationVersion', '1'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  // trees with `..` or `.git`, and submodules with dangerous names, do not come in
  ['receive.fsckObjects', 'true'],
  ...toleratedFsckFaults.flatMap((fault) => [
    [`receive.fsck.${fault}`, 'warn'] as const,
    [`fsck.${fault}`, 'ignore'] as const,
  ]),
  // as on the systems where they matter: an index of the server takes no `.git` in disguise either
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['receive.advertisePushOptions', 'true'],
  ['receive.hideRefs', 'refs/pull'],
  ['transfer.hideRefs', 'refs/mortise'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowTipSHA1InWant', 'true'],
  ['uploadpack.allowReachableSHA1InWant', 'true'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.bigFileThreshold', '32m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['pack.windowMemory', '64m'],
  ['http.followRedirects', 'false'],
  ['init.defaultBranch', 'main'],
  ['user.name', 'Mortise'],
  ['user.email', 'noreply@localhost'],
];

export function gitEnvironment(options: { home: string; hooks: string; path?: string }): Record<string, string> {
  const all = [...configuration, ['core.hooksPath', options.hooks] as const];
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: options.home,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CONFIG_COUNT: String(all.length),
  };
  all.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  if (process.env['TMPDIR']) environment['TMPDIR'] = process.env['TMPDIR'];
  return environment;
}

/** The same environment with more configuration. */
export function withConfiguration(
  environment: Readonly<Record<string, string>>,
  more: readonly (readonly [string, string])[],
): Record<string, string> {
  const from = Number(environment['GIT_CONFIG_COUNT'] ?? '0');
  const result: Record<string, string> = { ...environment, GIT_CONFIG_COUNT: String(from + more.length) };
  more.forEach(([key, value], index) => {
    result[`GIT_CONFIG_KEY_${from + index}`] = key;
    result[`GIT_CONFIG_VALUE_${from + index}`] = value;
  });
  return result;
}

/** Besides, for work with other servers: what comes is checked as what is pushed, and kept in packs. */
export const remoteConfiguration: readonly (readonly [string, string])[] = [
  ['fetch.fsckObjects', 'true'],
  ...toleratedFsckFaults.map((fault) => [`fetch.fsck.${fault}`, 'warn'] as const),
  ['fetch.unpackLimit', '1'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  // each step comes to the relay, which checks it
  ['http.followRedirects', 'initial'],
  ['transfer.credentialsInUrl', 'die'],
  ['transfer.bundleURI', 'false'],
  ['credential.helper', ''],
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '256m'],
];

/** The fixed configuration as a file; hooks do not run, and new repositories get no samples. Later settings win. */
export function configurationFile(more: readonly (readonly [string, string])[] = []): string {
  const all = [...configuration, ['core.hooksPath', '/dev/null'] as const, ['init.templateDir', ''] as const, ...more];
  return all
    .map(([key, value]) => `${sectionOf(key)}\n\t${key.slice(key.lastIndexOf('.') + 1)} = "${value}"\n`)
    .join('');
}

function sectionOf(key: string): string {
  const [section = '', ...rest] = key.split('.');
  const sub = rest.slice(0, -1).join('.');
  return sub ? `[${section} "${sub}"]` : `[${section}]`;
}

/** The same environment without the configuration in it. */
export function variables(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)$/.test(name)),
  );
}

/** Does it show the objects of a push that is not accepted yet? Nothing of them may be kept. */
export const isQuarantined = (environment: Readonly<Record<string, string>> | undefined): boolean =>
  environment?.['GIT_OBJECT_DIRECTORY'] !== undefined;

/** With the objects of other folders besides one's own; a name with a colon in it is quoted (git(1)). */
export const withAlternates = (folders: readonly string[]): Record<string, string> => ({
  GIT_ALTERNATE_OBJECT_DIRECTORIES: folders
    .map((folder) => (/[:"\\]/.test(folder) ? `"${folder.replace(/["\\]/g, '\\$&')}"` : folder))
    .join(':'),
});
