import type { AuthMethod, PointReader } from '@mortise/plugin-sdk';
import type { PackageFormat } from '../contract/formats.js';

/** Clients that send a token by itself, in the header that their format names. It is asked about as a `Bearer` token. */
export function apiKeyMethod(
  methods: PointReader<AuthMethod>,
  formats: PointReader<PackageFormat>,
  anyRegistry: string,
): AuthMethod {
  return {
    key: 'package-key',
    order: 6,
    surfaces: ['protocol'],
    authenticate(request) {
      if (!request.path.startsWith(`${anyRegistry}/`)) return undefined;
      const [, type = ''] = request.path.slice(anyRegistry.length + 1).split('/');
      const header = formats.get(type)?.keyHeader;
      const key = header === undefined ? '' : (request.headers[header] ?? '');
      if (!/^[\w.-]{16,}$/.test(key)) return undefined;
      const { method, path, query, cookies, remoteAddress, connection, surface } = request;
      const headers = { ...request.headers, authorization: `Bearer ${key}` };
      return methods
        .get('token')
        ?.authenticate({ method, path, query, cookies, remoteAddress, connection, surface, headers });
    },
  };
}
