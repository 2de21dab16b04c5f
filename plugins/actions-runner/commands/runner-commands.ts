import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { splitList, type PluginHost } from '@mortise/plugin-sdk';
import {
  grantAccess,
  runnerHost,
  readRegistration,
  runnerVersion,
  systemUser,
  writeRegistration,
} from './registration-file.js';

type Args = Readonly<Record<string, string | boolean | undefined>>;
const textOption = (value: string | boolean | undefined, fallback = ''): string =>
  typeof value === 'string' ? value : fallback;

/** `signal` aborts on the first SIGINT or SIGTERM, `halt` on the second. */
function untilSignalled(): { signal: AbortSignal; halt: AbortSignal } {
  const [first, second] = [new AbortController(), new AbortController()];
  const onSignal = () => (first.signal.aborted ? second : first).abort(new Error('cancelled'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onSignal);
  return { signal: first.signal, halt: second.signal };
}

const fileFlag = {
  flags: '--file <file>',
  description: 'What the runner keeps of its registration (default runner.json)',
};

function registerLint(host: PluginHost): void {
  host.commandGroup({
    name: 'runner',
    summary: 'Run jobs of Actions on this machine, for this site or another one',
    example: 'runner register --instance https://code.example.com --token TOKEN',
  });
  host.command(
    { name: 'actions lint', summary: 'Look at workflow files', positionals: '<file...>', isStandalone: true },
    {},
    async ({ positionals: words, print }) => {
      const { lint } = await import('./lint.js');
      const errors = await lint(words, print);
      if (errors > 0) {
        process.exitCode = 1;
        return;
      }
      print(`${words.length === 1 ? 'The file is' : `The ${words.length} files are`} good.`);
    },
  );
}

function registerLocalRun(host: PluginHost): void {
  host.command(
    {
      name: 'actions run',
      summary: 'Run the jobs of a workflow in this working copy',
      positionals: '<workflow>',
      isStandalone: true,
      options: [
        { flags: '--job <id>', description: 'Only this job' },
        { flags: '--event <name>', description: 'What started it (default push)' },
        { flags: '--inputs <json>', description: 'Inputs of workflow_dispatch, as JSON' },
        { flags: '--secrets <file>', description: 'JSON file with secrets by name' },
      ],
    },
    {},
    async ({ positionals: words, args, print }) => {
      const folder = mkdtempSync(join(tmpdir(), 'mortise-run-'));
      try {
        const secrets = args.secrets
          ? (JSON.parse(readFileSync(textOption(args.secrets), 'utf8')) as Record<string, string>)
          : {};
        const { runLocally } = await import('./run-locally.js');
        const isGood = await runLocally({
          file: words[0]!,
          folder: process.cwd(),
          host: runnerHost({ folder, address: '', name: 'local', workspace: process.cwd() }),
          ...(args.job ? { job: textOption(args.job) } : {}),
          event: textOption(args.event, 'push'),
          secrets,
          inputs: args.inputs ? (JSON.parse(textOption(args.inputs)) as Record<string, string>) : {},
          print,
          ...untilSignalled(),
        });
        if (!isGood) process.exitCode = 1;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
}

function registerRegistration(host: PluginHost): void {
  host.command(
    {
      name: 'runner register',
      summary: 'Register a runner with a server',
      isStandalone: true,
      options: [
        { flags: '--instance <address>', description: 'Address of the server', required: true },
        { flags: '--token <token>', description: 'Registration token; without it the standard input is read' },
        { flags: '--name <name>', description: 'Name of the runner (default: that of the machine)' },
        { flags: '--labels <list>', description: 'Labels, separated by commas (default linux,self-hosted)' },
        { flags: '--ephemeral', description: 'For one job only' },
        fileFlag,
      ],
    },
    {},
    async ({ args, print, input }) => {
      const { register } = await import('../remote/client.js');
      const registration = await register({
        address: textOption(args.instance),
        token: textOption(args.token) || (await input()).trim(),
        name: textOption(args.name, hostname()),
        labels: labelsOf(textOption(args.labels, 'linux,self-hosted')),
        ephemeral: args.ephemeral === true,
        version: runnerVersion,
      });
      await writeRegistration(textOption(args.file, 'runner.json'), registration);
      print(`The runner ${registration.name} is registered.`);
    },
  );
}

const daemonOptions = [
  fileFlag,
  { flags: '--folder <folder>', description: 'Where jobs have their folders (default: beside the file)' },
  { flags: '--user <name>', description: 'Run jobs as this user; needs root' },
  {
    flags: '--containers <program>',
    description:
      'docker, podman, another program like them, or off (default: what works, with a user only if it is rootless or has user namespaces)',
  },
  { flags: '--volumes <list>', description: 'What workflows may give to containers, separated by commas' },
];

function registerDaemons(host: PluginHost): void {
  host.command(
    { name: 'runner once', summary: 'Run one job, then end', isStandalone: true, options: daemonOptions },
    {},
    ({ args, print }) => runDaemon(args, print, true),
  );
  host.command(
    {
      name: 'runner daemon',
      summary: 'Run jobs until told to end',
      isStandalone: true,
      options: [...daemonOptions, { flags: '--capacity <number>', description: 'Jobs at the same time (default 1)' }],
    },
    {},
    ({ args, print }) => runDaemon(args, print, false),
  );
}

/** `mortise actions lint|run` and `mortise runner register|once|daemon`. */
export function runnerCommands(host: PluginHost): void {
  registerLint(host);
  registerLocalRun(host);
  registerRegistration(host);
  registerDaemons(host);
}

/** As registrations know them: without what other runners write behind a colon. */
const labelsOf = (text: string): string[] =>
  splitList(text)
    .map((label) => label.replace(/:host$/, ''))
    .filter(Boolean);

async function runDaemon(args: Args, log: (line: string) => void, once: boolean): Promise<void> {
  const file = resolve(textOption(args.file, 'runner.json'));
  const registration = readRegistration(file);
  if (!registration) throw new Error(`${file} does not exist: run "mortise runner register" first`);
  const capacity = Number(textOption(args.capacity, '1'));
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > 100)
    throw new Error('the capacity is a number from 1 to 100');
  const user = systemUser(textOption(args.user));
  const folder = textOption(args.folder) || join(dirname(file), 'runner');
  const host = runnerHost({
    folder,
    address: registration.address,
    name: registration.name,
    containers: textOption(args.containers, 'auto'),
    volumes: splitList(textOption(args.volumes)),
    ...(user ? { user } : {}),
  });
  await grantAccess(host, folder);
  const { serveTasks } = await import('../remote/daemon.js');
  await serveTasks({ registration, host, capacity: once ? 1 : capacity, once, ...untilSignalled(), log: log });
}
