import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type { Actor, CommandContext } from '@mortise/plugin-sdk';

/** Who asks in requests that a command makes. What comes over the network cannot carry it. */
const actorKey = Symbol('actor of a command');

export const actorOfCommand = (app: unknown): Actor | undefined =>
  (app as { readonly [actorKey]?: Actor } | undefined)?.[actorKey];

/** The `request` of a {@link CommandContext}, over requests that no port hears. */
export const requestsOfCommand =
  (inject: (options: ServerInjectOptions) => Promise<ServerInjectResponse>): CommandContext['request'] =>
  async (actor, path) => {
    const { statusCode, headers, rawPayload } = await inject({
      method: 'GET',
      url: path,
      app: { [actorKey]: actor } as never,
    });
    return {
      status: statusCode,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: rawPayload,
    };
  };
