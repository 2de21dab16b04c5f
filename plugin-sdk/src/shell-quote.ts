/**
 * A word of a command that people copy into a POSIX shell. Names of branches and files may hold what a shell would run;
 * those are quoted, all others stay as they are.
 */
export const shellQuote = (text: string): string =>
  /^[\w./:@+-][\w./:@+=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
