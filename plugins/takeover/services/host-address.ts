/** `HOST` of `[database]`: a name or an address with a port, or the path of a socket. */
export function hostAddress(
  host: string,
  defaultPort: number,
): { readonly socket: string } | { readonly host: string; readonly port: number } {
  if (host.startsWith('/')) return { socket: host };
  const [, name = host, port = String(defaultPort)] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(host) ?? [];
  return { host: name.replace(/^\[|\]$/g, ''), port: Number(port) };
}
