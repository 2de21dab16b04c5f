/** Longer ones would not fit into the cookie that keeps them. */
const maxTarget = 2600;

/** Only addresses of this site: an attacker's link must not lead elsewhere after signing in. */
export function safeTarget(given: unknown, basePath = ''): string {
  const text = typeof given === 'string' && Buffer.byteLength(JSON.stringify(given)) <= maxTarget ? given : '';
  const inside = basePath && text.startsWith(`${basePath}/`) ? text.slice(basePath.length) : text;
  return /^\/(?![/\\])[^\\\x00-\x20\x7f]*$/.test(text) && !inside.startsWith('/user/log') ? text : '';
}
