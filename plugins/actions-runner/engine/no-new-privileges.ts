import { existsSync } from 'node:fs';

const find = (name: string): string | undefined =>
  ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => `${folder}/${name}`).find((path) => existsSync(path));

// By their whole paths: PATH is the job's.
const [setpriv, env] = process.platform === 'linux' ? [find('setpriv'), find('env')] : [];

/** Whether programs of jobs can be run with `no_new_privs` on this machine. */
export const canDropNewPrivileges = setpriv !== undefined && env !== undefined;

/**
 * Variables by which a job could change what `setpriv` does: those that the libraries of the system read. They stand on a
 * command line for a moment, so the list has no more than these.
 */
const loaderVariables = new Set(
  `GCONV_PATH GETCONF_DIR GLIBC_TUNABLES HOSTALIASES LANG LANGUAGE LD_ASSUME_KERNEL LD_AUDIT LD_BIND_NOT LD_BIND_NOW LD_DEBUG
  LD_DEBUG_OUTPUT LD_DYNAMIC_WEAK LD_HWCAP_MASK LD_LIBRARY_PATH LD_ORIGIN_PATH LD_POINTER_GUARD LD_PREFER_MAP_32BIT_EXEC
  LD_PRELOAD LD_PROFILE LD_PROFILE_OUTPUT LD_SHOW_AUXV LD_TRACE_LOADED_OBJECTS LD_TRACE_PRELINKING LD_USE_LOAD_BIAS LD_VERBOSE
  LD_WARN LOCALDOMAIN LOCPATH MALLOC_ARENA_MAX MALLOC_ARENA_TEST MALLOC_CHECK_ MALLOC_MMAP_MAX_ MALLOC_MMAP_THRESHOLD_
  MALLOC_PERTURB_ MALLOC_TOP_PAD_ MALLOC_TRACE MALLOC_TRIM_THRESHOLD_ MUSL_LOCPATH NIS_PATH NLSPATH OUTPUT_CHARSET
  POSIXLY_CORRECT RES_OPTIONS RESOLV_HOST_CONF TEXTDOMAIN TEXTDOMAINDIR TMPDIR TZ TZDIR`.split(/\s+/),
);
const isLoaderVariable = (name: string): boolean => loaderVariables.has(name) || name.startsWith('LC_');

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The same program, which gains no rights by files that would give it some: those of root with `setuid`, above all. */
export function withNoNewPrivileges(command: Command): Command {
  if (setpriv === undefined || env === undefined) return command;
  const own = Object.entries(command.env);
  // They come back when nothing can be gained any more.
  const later = own.filter(([name]) => isLoaderVariable(name)).map(([name, value]) => `${name}=${value}`);
  return {
    program: setpriv,
    args: ['--no-new-privs', '--', env, '--', ...later, command.program, ...command.args],
    env: Object.fromEntries(own.filter(([name]) => !isLoaderVariable(name))),
  };
}
