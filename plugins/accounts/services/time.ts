/** RFC 3339 with seconds, as the REST surface writes times (GEN-10). 0 is "never". */
export function apiTime(milliseconds: number): string {
  if (!milliseconds) return '0001-01-01T00:00:00Z';
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
