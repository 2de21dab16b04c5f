import { readdir, readFile } from 'node:fs/promises';

/** Variable of the environment by which the processes of a job are known; its value is the job's folder. */
export const jobMark = 'MORTISE_JOB';

const maxRounds = 50;
/** Milliseconds between two looks. */
const pauseMs = 20;

interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

/** Processes of the machine that have not ended. Empty where the system has no `/proc`. */
async function listProcesses(): Promise<ProcessInfo[]> {
  const processes: ProcessInfo[] = [];
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '');
    // The name before it may have any signs.
    const [state = '', parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!/^[ZX]?$/.test(state))
      processes.push({ pid: Number(entry), parent: Number(parent), session: Number(session) });
  }
  return processes;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Kills until none is found: a process may fork while the list is read. */
async function killAll(find: () => Promise<readonly number[]>): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    const processes = await find();
    if (processes.length === 0) return;
    processes.forEach(kill);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Ends what is left of a step whose first process has made this session, in whatever group it is. */
export const killSession = async (session: number): Promise<void> =>
  killAll(async () => (await listProcesses()).filter((one) => one.session === session).map(({ pid }) => pid));

/**
 * Ends what is left of a job: every process with its mark, or in a session with one, and, where jobs have a user of their
 * own, every process of that user. Those of other jobs of the user are spared: they have the mark of one of which
 * `isOther` says so, or descend from one that has.
 */
export const killJob = async (
  mark: string,
  user: number | undefined,
  isOther: (mark: string) => Promise<boolean>,
): Promise<void> => {
  // A session found once stays known: what was started while the last process with the mark was killed may have none.
  const known = new Set<number>();
  await killAll(async () => {
    // A user who has more than jobs, such as root or the runner's own, would lose everything else too.
    const uid = user === 0 || user === process.getuid?.() ? undefined : user;
    const all = await listProcesses();
    const marks = new Map<number, string>();
    const ofUser: ProcessInfo[] = [];
    for (const one of all) {
      if (one.pid === process.pid) continue;
      if (uid !== undefined) {
        if (!(await userIdsOf(one.pid)).includes(String(uid))) continue;
        ofUser.push(one);
      }
      marks.set(one.pid, await jobMarkOf(one.pid));
    }
    // Sessions are made by jobs or for them: what is in one with its mark belongs to it.
    const own = all.find(({ pid }) => pid === process.pid)?.session ?? 0;
    // Neither that of the runner, nor what comes from outside.
    for (const { pid, session } of all)
      if (marks.get(pid) === mark && session !== 0 && session !== own) known.add(session);
    if (uid === undefined) {
      const members = all.filter(({ session }) => known.has(session));
      // The number of a session without members may become another's.
      for (const one of known) if (!members.some(({ session }) => session === one)) known.delete(one);
      return members.map(({ pid }) => pid);
    }
    // Asked after the processes were seen: the folder of a job is there before its first process is.
    const others = new Set<string>();
    for (const one of new Set(marks.values())) if (one !== '' && one !== mark && (await isOther(one))) others.add(one);
    const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
    const isSpared = (pid: number): boolean => {
      for (let at = pid, left = 1000; at > 1 && left > 0; at = parents.get(at) ?? 0, left--)
        if (others.has(marks.get(at) ?? '')) return true;
      return false;
    };
    return ofUser.filter(({ pid }) => marks.get(pid) === mark || !isSpared(pid)).map(({ pid }) => pid);
  });
};

async function jobMarkOf(pid: number): Promise<string> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const variable = environment.split('\0').find((one) => one.startsWith(`${jobMark}=`));
  return variable?.slice(jobMark.length + 1) ?? '';
}

/** The ids that a process has: real, effective, saved, of files. */
async function userIdsOf(pid: number): Promise<readonly string[]> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t') ?? [];
}
