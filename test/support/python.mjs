// Programs from PyPI in virtual environments that are kept between runs. Imports nothing that is installed or built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The Python that can make virtual environments; undefined where there is none. */
export const systemPython = () =>
  ['python3', 'python'].find((one) => spawnSync(one, ['-m', 'venv', '--help'], { stdio: 'ignore' }).status === 0);

/** Path of a program in the folder's environment, made with these packages where it is missing; undefined if it fails. */
export function pythonProgram(folder, name, ...packages) {
  const program = join(folder, 'bin', name);
  if (existsSync(program)) return program;
  const python = systemPython();
  const run = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  const isMade =
    python !== undefined &&
    run(python, ['-m', 'venv', folder]) &&
    run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  return isMade && existsSync(program) ? program : undefined;
}
