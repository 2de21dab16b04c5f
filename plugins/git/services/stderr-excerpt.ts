/** What git said, fit for people outside: one line, no places on the disk of the server. */

const limit = 300;

export function withoutPaths(text: string): string {
  return text
    .replace(/'\.?\/(?:[^'\n/]*\/)*([^'/\n]*)'/g, "'$1'")
    .replace(/(^|[\s=("])\/(?:[^\s:'"()/]+\/)+([^\s:'"()/]*)/g, '$1$2');
}

/** The first line, without git's `fatal:`. */
export const firstLine = (text: string): string =>
  withoutPaths((text.split('\n')[0] ?? '').replace(/^(fatal|error): /, '')).slice(0, limit);

/** Another process holds the lock of a reference, or one did and was killed. */
export const isLocked = (text: string): boolean => /Unable to create '[^'\n]*\.lock': File exists/.test(text);
