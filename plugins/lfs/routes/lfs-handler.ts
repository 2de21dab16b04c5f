import { BadRequest, Problem, reply, isJsonObject, type Reply, type RouteContext } from '@mortise/plugin-sdk';

export const lfsType = 'application/vnd.git-lfs+json';

export const lfsJson = (body: unknown, status = 200): Reply => reply.json(body, status).type(lfsType);

type Handler = (context: RouteContext) => Promise<Reply>;

/** Refusals in the shape that clients of LFS read (`message`, `request_id`). */
export const lfsHandler =
  (handler: Handler): Handler =>
  async (context) => {
    try {
      return await handler(context);
    } catch (error) {
      if (!Problem.is(error)) throw error;
      const answer = lfsJson({ message: error.message, request_id: context.requestId, ...error.fields }, error.status);
      for (const [name, value] of Object.entries(error.headers)) answer.header(name, value);
      if (error.status === 401) answer.header('www-authenticate', 'Basic realm="Git LFS"');
      return answer;
    }
  };

/** The JSON side of LFS: the client must say that it understands its type. */
export const lfsApi = (handler: Handler): Handler =>
  lfsHandler(async (context) => {
    const accepted = (context.headers.accept ?? '')
      .split(',')
      .map((part) => part.split(';', 1)[0]!.trim().toLowerCase());
    if (!accepted.includes(lfsType)) throw new Problem('unsupported_media_type', `The client must accept ${lfsType}.`);
    return handler(context);
  });

/** The JSON object in a body that was read whole. */
export function jsonBody(context: RouteContext): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse((context.payload as Buffer).toString('utf8'));
  } catch {
    throw BadRequest('The request body is not valid JSON.');
  }
  if (!isJsonObject(value)) throw BadRequest('The request body must be a JSON object.');
  return value;
}
