import { forgive } from './compose.js';
import { createHost, type Host, type HostOptions } from './host.js';
import { causesOf } from './plugins/index.js';

/**
 * A host that is ready: started, unless `ready` says otherwise. What fails of a plugin that `[plugins] OPTIONAL` names,
 * in whatever phase, is told and left out; with anything else the start is refused.
 */
export async function openHost(
  options: HostOptions,
  ready: (host: Host) => Promise<unknown> = (host) => host.start(),
  opened: (host: Host) => void = () => undefined,
): Promise<Host> {
  const leftOut = new Map(options.leftOut);
  /** Failed only once the host was there, so that nobody else can see it. */
  const late = new Map<string, string>();
  for (;;) {
    const host = await createHost({ ...options, leftOut });
    opened(host);
    try {
      await ready(host);
      for (const [plugin, why] of late) host.pluginErrors.record(plugin, 'start', '', why);
      for (const plugin of host.composition.leftOut.keys())
        if (!late.has(plugin)) host.composition.metrics.failed(plugin, 'start');
      return host;
    } catch (error) {
      await host.stop();
      const causes = causesOf(error);
      const forgiven = forgive(causes, host.composition.optional);
      if (causes.some(({ plugins }) => !plugins.some((name) => forgiven.has(name)))) throw error;
      for (const [name, why] of forgiven) {
        leftOut.set(name, why);
        late.set(name, why);
      }
    }
  }
}
