/** What git runs at a push, and what it hands up. */
import type { RefUpdate } from '../api.js';

/**
 * All hooks: pass everything up on descriptor 3, then obey what comes down on 4. The nonce keeps pushers from forging
 * lines. git asks `proc-receive` about new references whose names may be refused one by one; it keeps the input of that
 * hook open, and says nothing in it that `pre-receive` has not heard.
 */
export const hookScript = `#!/bin/sh
[ -n "$MORTISE_NONCE" ] || { echo "changes are made through the server only" >&2; exit 1; }
case $0 in
  */proc-receive)
    exec 5<&0 </dev/null
    cat <&5 >/dev/null 2>&1 3>&- 4<&- &
    exec 5<&-
    ;;
esac
{
  printf '%s begin %s\\n' "$MORTISE_NONCE" "\${0##*/}"
  printf '%s GIT_QUARANTINE_PATH=%s\\n' "$MORTISE_NONCE" "$GIT_QUARANTINE_PATH"
  printf '%s GIT_OBJECT_DIRECTORY=%s\\n' "$MORTISE_NONCE" "$GIT_OBJECT_DIRECTORY"
  printf '%s GIT_ALTERNATE_OBJECT_DIRECTORIES=%s\\n' "$MORTISE_NONCE" "$GIT_ALTERNATE_OBJECT_DIRECTORIES"
  i=0
  while [ "$i" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do
    eval "option=\\$GIT_PUSH_OPTION_$i"
    printf '%s option %s\\n' "$MORTISE_NONCE" "$option"
    i=$((i + 1))
  done
  printf '%s updates\\n' "$MORTISE_NONCE"
  cat
  printf '%s end\\n' "$MORTISE_NONCE"
} >&3
while IFS= read -r line <&4; do
  case $line in
    'say '*) printf '%s\\n' "\${line#say }" >&2 ;;
    'report '*) printf '%s\\n' "\${line#report }" ;;
    flush) printf 0000 ;;
    accept) exit 0 ;;
    *) exit 1 ;;
  esac
done
exit 1
`;

export interface HookCall {
  readonly hook: string;
  readonly environment: Record<string, string>;
  readonly options: string[];
  readonly updates: RefUpdate[];
}

/** `name=value` or `name` (which is `true`). */
export function parsePushOptions(options: readonly string[]): Record<string, string> {
  const result: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const option of options) {
    const equals = option.indexOf('=');
    const name = (equals < 0 ? option : option.slice(0, equals)).trim();
    if (name) result[name] = equals < 0 ? 'true' : option.slice(equals + 1);
  }
  return { ...result };
}
