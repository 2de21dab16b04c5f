// Which files run together, and in which order.
import { needsServer, sleeps, tierOf } from './files.mjs';
import { secondsOf } from './times.mjs';

/**
 * Half of the time of a short file is Node reading the modules of the host: so the short ones share a process, those of
 * one plugin and of its neighbours, and each process less spares two seconds of a core. Longer ones run alone, that both
 * cores are busy to the end.
 */
const maxSharedSeconds = 120;
/** What takes longer runs alone. */
const longSeconds = 30;

/**
 * What is to be run on the `engines` of each file, the longest first: `{ files, engine, expected, isAsleep,
 * needsTemplate }`, `expected` in seconds.
 */
export function tasksOf(files, engines) {
  const tasks = [];
  /** Engine → the task that takes more files. */
  const shared = new Map();
  for (const file of files)
    for (const engine of engines(file)) {
      const expected = secondsOf({ file, engine });
      const open = shared.get(engine);
      if (sleeps(file))
        tasks.push({ files: [file], engine, expected, isAsleep: true, needsTemplate: needsServer(file) });
      else if (tierOf(file) === 'system' || expected > longSeconds)
        tasks.push({ files: [file], engine, expected, isAsleep: false, needsTemplate: needsServer(file) });
      else if (open && open.expected + expected <= maxSharedSeconds) {
        open.files.push(file);
        open.expected += expected;
      } else {
        const task = { files: [file], engine, expected, isAsleep: false, needsTemplate: false };
        shared.set(engine, task);
        tasks.push(task);
      }
    }
  return tasks.sort((a, b) => b.expected - a.expected);
}
