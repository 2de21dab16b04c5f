// pip, and twine in a virtual environment that is kept between runs.
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pythonProgram, systemPython } from '../support/python.mjs';
import { must } from './kit.mjs';

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

/** Writes a wheel of one module to the path that it is given. */
const wheelMaker = `
import base64, hashlib, sys, zipfile
name = 'toy_hello-1.0.0.dist-info'
files = {
  'toy_hello.py': 'print("hello")\\n',
  name + '/METADATA': 'Metadata-Version: 2.1\\nName: toy-hello\\nVersion: 1.0.0\\nSummary: Says hello\\n',
  name + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
digest = lambda text: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()
record = ''.join(f'{path},sha256={digest(text)},{len(text)}\\n' for path, text in files.items())
files[name + '/RECORD'] = record + name + '/RECORD,,\\n'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
  for path, text in files.items(): wheel.writestr(path, text)
`;

/** Undefined where there is no Python that can make virtual environments. */
export function python() {
  const system = systemPython();
  if (!system) return undefined;
  const version = must(system, ['-c', 'import platform; print(platform.python_version())']).trim();
  mkdirSync(cache, { recursive: true });
  const folder = join(cache, `mortise-test-twine-${version}`);
  const twine = pythonProgram(folder, 'twine', 'twine');
  if (!twine) throw new Error('twine could not be installed');
  return { python: join(folder, 'bin/python'), pip: join(folder, 'bin/pip'), twine, wheelMaker };
}
