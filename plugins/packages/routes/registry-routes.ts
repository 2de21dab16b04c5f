import type { Access, InnerRoute } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { PackageFormat, PackageRequest, PackageRoute } from '../api.js';
import { protocolOwner } from './package-resource.js';

/** A route of a registry as the kernel knows it, with the route that the format declared. */
export interface RegistryRoute extends InnerRoute<Account> {
  readonly declared: PackageRoute;
  handler(request: PackageRequest): unknown;
}

/** Path of the addresses of a format, with `{owner}` in it. */
export const rootOf = ({ key, root }: PackageFormat): string => root ?? `/api/packages/{owner}/${key}`;

const accesses: Readonly<Record<PackageRoute['needs'], Access<Account>>> = {
  open: { actor: 'anyone', resource: protocolOwner },
  // no scope is asked for, but hidden owners stay hidden
  none: { actor: 'anyone', resource: protocolOwner, mode: 'read' },
  read: { actor: 'anyone', scope: 'package', level: 'read', resource: protocolOwner, mode: 'read' },
  write: { actor: 'anyone', scope: 'package', level: 'write', resource: protocolOwner, mode: 'write' },
};

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** The routes of a format, each under an operation id of its own. */
export function registryRoutes(format: PackageFormat): readonly RegistryRoute[] {
  const taken = new Set<string>();
  return format.routes.map((declared) => {
    const { method, path, needs, summary } = declared;
    const words = [...path.matchAll(/[A-Za-z0-9]+/g)].map(([word]) => capital(word)).join('');
    const stem = declared.id ?? `${format.key.replace(/\W/g, '')}${capital(method)}${words}`;
    let id = stem;
    for (let n = 2; taken.has(id); n++) id = `${stem}Or${n}`;
    taken.add(id);
    return {
      method,
      path: `${rootOf(format)}${path === '/' ? '' : path}`,
      surface: 'protocol',
      access: accesses[needs],
      responses: { 200: null },
      id,
      tags: [`package-${format.key}`],
      summary: summary ?? `${format.label}: ${method} ${path}`,
      declared,
      handler: (request) => declared.handler(request),
    };
  });
}
