/** A program with the command line of docker: notes what it is told and runs commands on the machine itself. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const args = process.argv.slice(3);
const folder = dirname(process.argv[2]!);
const note = (line: readonly string[]) => appendFileSync(join(folder, 'calls'), `${JSON.stringify(line)}\n`);
const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? '';
const rest = (count: number): string[] => args.slice(count);

function leave(workspace: string): void {
  const closed = join(workspace, 'closed');
  mkdirSync(join(closed, 'below', 'deep'), { recursive: true });
  for (const path of ['file', 'below/file', 'below/deep/file']) writeFileSync(join(closed, path), '');
  for (const path of ['below', 'below/deep']) symlinkSync(after('leaves'), join(closed, path, 'link'));
}

/** Who the user of the container is, and whether the workspace is closed to it: as the next line of a file says. */
function tellUser(): void {
  const file = join(folder, 'user');
  if (!existsSync(file)) return;
  const [line = '', ...others] = readFileSync(file, 'utf8').split('\n');
  console.log(line.replace(' ', '\n').replace(/^/, 'user '));
  writeFileSync(file, others.join('\n'));
}

function answer(): number {
  const [first, second] = args;
  switch (first) {
    case '--version':
      console.log('Docker version 99');
      return 0;
    case 'image':
      return existsSync(join(folder, 'pulled')) ? 0 : 1;
    case 'ps':
    case 'network': {
      // Asked for names; what else is asked finds nothing.
      const file = join(folder, first === 'ps' ? 'containers' : 'networks');
      if (args.includes('--format') && existsSync(file)) console.log(readFileSync(file, 'utf8'));
      return 0;
    }
    case 'port':
      console.log('5432/tcp -> 127.0.0.1:49153');
      return 0;
    case 'inspect': {
      // Healthy at the second look.
      const file = join(folder, `looked-${second!.split('-').at(-1)}`);
      const status = second!.endsWith('-ill') ? 'unhealthy' : existsSync(file) ? 'healthy' : 'starting';
      writeFileSync(file, '');
      console.log(JSON.stringify([{ State: { Running: true, Health: { Status: status } } }]));
      return 0;
    }
    case 'logs':
      console.log('what the service says');
      return 0;
    case 'run':
      if (args.includes('--env-file'))
        note(['variables', ...readFileSync(after('--env-file'), 'utf8').trim().split('\n')]);
      // As a container does, whose user is root.
      if (args.includes('leaves')) leave(after('--workdir'));
      console.log(args.includes('--rm') ? 'the container speaks' : 'c0ffee');
      return args.includes('fails') ? 9 : 0;
    case 'build': {
      const context = args.at(-1)!;
      note(['context', `of ${statSync(context).uid}:`, ...readdirSync(context).sort()]);
      return 0;
    }
    case 'login':
      note(['password', readFileSync(0, 'utf8')]);
      return 0;
    case 'exec': {
      // Steps alone: what is done to a container must not be done to the machine.
      if (second !== '--workdir') {
        if (args.join(' ').includes('id -u')) tellUser();
        return 0;
      }
      const [program, ...words] = rest(4);
      return spawnSync(program!, words, { cwd: args[2], stdio: 'inherit' }).status ?? 1;
    }
    default:
      return 0;
  }
}

note(args);
process.exit(answer());
