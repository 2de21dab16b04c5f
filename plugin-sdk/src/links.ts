/** `host:8080/path`, which looks like a scheme. */
const hostWithPort = /^[\w.-]+:\d{1,5}(?:[/?#]|$)/;
const scheme = /^([a-z][a-z0-9+.-]*):/i;

/**
 * May the text be the address of a link? Paths and addresses of the web may; what a browser would run or open by another
 * program (`javascript:`, `data:`, `vbscript:`, `file:`, …) may not, however it is written.
 */
export function isWebLink(text: string): boolean {
  // browsers pass over blanks and control characters
  const plain = text.replace(/[\u0000-\u0020\u007f-\u009f\u00ad\u200b-\u200f\u2028\u2029\ufeff]/g, '');
  const found = scheme.exec(plain)?.[1]?.toLowerCase();
  return found === undefined || found === 'http' || found === 'https' || hostWithPort.test(plain);
}
