// What a server is made of at one moment: memory and descriptors of its processes, rows of its tables, files of its folder.
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf } from '../cluster/program.mjs';

const megabyte = 1 << 20;

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Series of one process, named after what it is; undefined: it has just ended. */
function processSeries(name, pid, probes) {
  try {
    const series = {
      [`${name}: resident memory (MB)`]: residentOf(pid),
      [`${name}: open descriptors`]: readdirSync(`/proc/${pid}/fd`).length,
      [`${name}: threads`]: readdirSync(`/proc/${pid}/task`).length,
    };
    const { heapUsed, external } = JSON.parse(readFileSync(join(probes, `${pid}.json`), 'utf8'));
    series[`${name}: heap (MB)`] = heapUsed / megabyte;
    series[`${name}: outside of the heap (MB)`] = external / megabyte;
    return series;
  } catch {
    return undefined;
  }
}

/** Files and bytes below a folder; what goes meanwhile is not counted. */
async function sizeOf(folder) {
  const total = { files: 0, bytes: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const { files, bytes } = await sizeOf(path);
      total.files += files;
      total.bytes += bytes;
    } else {
      total.files++;
      total.bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return total;
}

/** Each folder of the work folder, and those of `data` one by one. */
async function folderSeries(workDir) {
  const foldersOf = async (path) =>
    (await readdir(path, { withFileTypes: true })).filter((one) => one.isDirectory()).map(({ name }) => name);
  const names = (await foldersOf(workDir)).filter((name) => name !== 'data');
  for (const name of await foldersOf(join(workDir, 'data'))) names.push(join('data', name));
  const series = {};
  for (const name of names) {
    const { files, bytes } = await sizeOf(join(workDir, name));
    series[`folder ${name}: files`] = files;
    series[`folder ${name}: MB`] = bytes / megabyte;
  }
  return series;
}

/** Ticks of the processor that the processes took until now, with those of their children that have ended. */
function ticksOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .reduce((sum, one) => sum + Number(one), 0);
  } catch {
    return 0;
  }
}

/** Name of a series → its value now. Workers are named by their place among those that run. */
export async function sample({ server, probes }, database) {
  const family = familyOf(server.pid);
  const commands = new Map(
    family.map((pid) => {
      try {
        return [pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ')];
      } catch {
        return [pid, ''];
      }
    }),
  );
  const isWorker = (pid) => pid !== server.pid && /mortise\.mjs web/.test(commands.get(pid));
  const workers = family.filter(isWorker);
  const series = { ...processSeries('manager', server.pid, probes) };
  for (const [at, pid] of workers.entries()) Object.assign(series, processSeries(`worker ${at + 1}`, pid, probes));
  series['other processes'] = family.length - 1 - workers.length;
  for (const [table, rows] of Object.entries(await database.counts())) series[`table ${table}`] = rows;
  Object.assign(series, await folderSeries(server.env.MORTISE_WORK_DIR));
  return {
    series,
    ticks: ticksOf(server.pid) + workers.reduce((sum, pid) => sum + ticksOf(pid), 0),
    pids: [server.pid, ...workers],
  };
}
