import type { AuthMethod, PointReader } from '@mortise/plugin-sdk';

/**
 * Clients that send a token by itself: cargo and gem as the whole of `Authorization`, NuGet in a header of its own. It
 * is asked about as a `Bearer` token.
 */
export function bareKeyMethod(methods: PointReader<AuthMethod>, isRegistry: (path: string) => boolean): AuthMethod {
  return {
    key: 'package-key',
    order: 6,
    surfaces: ['protocol'],
    authenticate(request) {
      const { authorization = '', 'x-nuget-apikey': apiKey = '' } = request.headers;
      const key = authorization || apiKey;
      if (!/^[\w.-]{16,}$/.test(key) || !isRegistry(request.path)) return undefined;
      const { method, path, query, cookies, remoteAddress, connection, surface } = request;
      const headers = { ...request.headers, authorization: `Bearer ${key}` };
      return methods
        .get('token')
        ?.authenticate({ method, path, query, cookies, remoteAddress, connection, surface, headers });
    },
  };
}
