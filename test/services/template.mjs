// Makes what `test/support/template.mjs` hands to tests, where enough of them want it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('make-template.mjs', import.meta.url));
/** For fewer it does not pay. */
const fewest = 3;

/** One for each engine that the tasks run on; gives what went wrong. */
export async function makeTemplates(tasks, services, scratch) {
  process.env.MORTISE_TEST_TEMPLATES = join(scratch, 'templates');
  const engines = ['sqlite', 'mysql'].filter(
    (engine) => tasks.filter((task) => task.needsTemplate && task.engine === engine).length >= fewest,
  );
  const made = await Promise.all(engines.map((engine) => make(engine, services)));
  return made.filter(Boolean);
}

function make(engine, { mysql }) {
  const env = {
    ...process.env,
    MORTISE_TEST_ENGINE: engine,
    ...(mysql && { MORTISE_TEST_MYSQL: mysql }),
  };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  return new Promise((resolve) =>
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : `the template of a server on ${engine} was not made (${code})\n${printed}`),
    ),
  );
}
