// Imported before a program (`NODE_OPTIONS`): when it gets SIGUSR2, writes the addresses of all files that it has loaded
// until then to the file that MORTISE_LOADED_FILES names.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

const file = process.env.MORTISE_LOADED_FILES;
if (isMainThread && file && process.argv.includes('web')) {
  const session = new Session();
  const loaded = new Set();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => {
    if (url.startsWith('file:') || url.startsWith('/')) loaded.add(url.replace(/^file:\/\//, ''));
  });
  session.post('Debugger.enable');
  process.on('SIGUSR2', () => writeFileSync(file, [...loaded].join('\n')));
}
